package pg_test

import (
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
)

func TestDate_isTheInverseOfFecha(t *testing.T) {
	t.Parallel()
	for _, day := range []manual.Fecha{{}, manual.MustParseFecha("1900-01-01"), manual.MustParseFecha("2024-02-29")} {
		if got := pg.Fecha(pg.Date(day)); got != day {
			t.Errorf("day = %v, want %v", got, day)
		}
	}
}

func TestDate_notGivenIsNull(t *testing.T) {
	t.Parallel()
	if date := pg.Date(manual.Fecha{}); date != nil {
		t.Errorf("date = %v, want NULL", date)
	}
	if column := pg.NullTime(time.Time{}); column != nil {
		t.Errorf("time = %v, want NULL", column)
	}
	if text := pg.Value[string](nil); text != "" {
		t.Errorf("text = %q, want none", text)
	}
}
