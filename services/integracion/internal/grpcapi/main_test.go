package grpcapi_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// limit bounds every wait of these tests.
const limit = 30 * time.Second

func wantMotivo(t *testing.T, err error, want errores.Motivo) {
	t.Helper()
	if !errs.Is(errs.FromStatus(err), want) {
		t.Errorf("error = %v, want %s", err, want)
	}
}

// wantFields holds that err is a Validacion of exactly these places, "pointer code".
func wantFields(t *testing.T, err error, want ...string) {
	t.Helper()
	wantMotivo(t, err, errores.Validacion)
	got := fieldsOf(err)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func fieldsOf(err error) []string {
	var places []string
	refusal, ok := errs.FromStatus(err).(*errs.Error)
	if !ok {
		return nil
	}
	for _, field := range refusal.Fields {
		places = append(places, field.Puntero+" "+field.Codigo)
	}
	slices.Sort(places)
	return places
}

// eventually asks until the condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(limit)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("%s did not come within %s", what, limit)
		case <-ticker.C:
		}
	}
}
