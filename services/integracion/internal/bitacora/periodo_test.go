package bitacora

import (
	"testing"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

func TestReadPeriodo(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 6, d, 6, 0, 0, 0, time.UTC) } // Mexico City's midnight
	for name, tt := range map[string]struct {
		desde, hasta string
		want         Periodo
		good         bool
	}{
		"the whole time":        {"", "", Periodo{}, true},
		"days, the last one in": {"2026-06-15", "2026-06-15", Periodo{Desde: day(15), Hasta: day(16)}, true},
		"an instant":            {"", "2026-06-15T06:00:00Z", Periodo{Hasta: day(15)}, true},
		"no day":                {"ayer", "", Periodo{}, false},
		"backwards":             {"2026-06-16", "2026-06-14", Periodo{}, false},
		"empty":                 {"2026-06-15T06:00:00Z", "2026-06-15T06:00:00Z", Periodo{}, false},
	} {
		got, err := ReadPeriodo(tt.desde, tt.hasta)
		if (err == nil) != tt.good || err != nil && !errs.Is(err, errores.Validacion) {
			t.Errorf("%s: %v", name, err)
		}
		if tt.good && (!got.Desde.Equal(tt.want.Desde) || !got.Hasta.Equal(tt.want.Hasta)) {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}
