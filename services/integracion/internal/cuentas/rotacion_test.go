package cuentas

import (
	"slices"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

func TestApiKeys_Rotate_overlaps(t *testing.T) {
	keys, store := newApiKeys(t)
	now := time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)
	keys.Now = func() time.Time { return now }
	issue := func(caduca string) string {
		t.Helper()
		emitida, err := keys.Issue(t.Context(), NuevaApiKey{EmpresaID: empresaA, Nombre: "Sistema", Ambitos: []auth.Ambito{auth.AmbitoCliente, auth.AmbitoEventos}, CaducaEn: caduca})
		if err != nil {
			t.Fatal(err)
		}
		return emitida.KeyID
	}
	for name, tt := range map[string]struct {
		caduca string
		r      Rotacion
		end    time.Time
	}{
		"seven days":         {"", Rotacion{}, now.Add(UsualOverlap)},
		"until a date":       {"", Rotacion{AnteriorHasta: "2026-06-16T00:00:00Z"}, time.Date(2026, 6, 16, 0, 0, 0, 0, time.UTC)},
		"never longer alive": {"2026-06-15T13:00:00Z", Rotacion{}, now.Add(time.Hour)},
	} {
		before := issue(tt.caduca)
		rotada, err := keys.Rotate(t.Context(), before, tt.r)
		if err != nil || !rotada.Anterior.CaducaEn.Equal(tt.end) {
			t.Errorf("%s: the one before ends at %v, %v", name, rotada.Anterior.CaducaEn, err)
		}
		n := rotada.Nueva
		if n.Texto == "" || n.SecretoWebhook == "" || n.Nombre != "Sistema" || !slices.Equal(n.Ambitos, []auth.Ambito{auth.AmbitoCliente, auth.AmbitoEventos}) || !n.CaducaEn.IsZero() {
			t.Errorf("%s: new key %+v", name, n.ApiKey)
		}
	}
	id := issue("")
	for name, r := range map[string]Rotacion{"past": {AnteriorHasta: "2026-06-15T11:00:00Z"}, "no instant": {AnteriorHasta: "mañana"}, "born dead": {CaducaEn: "2020-01-01T00:00:00Z"}} {
		_, err := keys.Rotate(t.Context(), id, r)
		if !errs.Is(err, errores.Validacion) {
			t.Errorf("%s: %v", name, err)
		}
	}
	key := store.keys[id]
	key.RevocadaEn = now
	store.keys[id] = key
	_, err := keys.Rotate(t.Context(), id, Rotacion{})
	if !errs.Is(err, errores.Conflicto) {
		t.Errorf("a revoked one: %v", err)
	}
	_, err = keys.Rotate(t.Context(), "x", Rotacion{})
	if !errs.Is(err, errores.NoEncontrado) {
		t.Errorf("no id: %v", err)
	}
}

func TestApiKeys_ListPorVencer_refusesWhatIsNoNumberOfDays(t *testing.T) {
	keys, _ := newApiKeys(t)
	for dias, good := range map[string]bool{"": true, "1": true, "3650": true, "0": false, "-1": false, "3651": false, "un mes": false} {
		_, err := keys.ListPorVencer(t.Context(), dias)
		if (err == nil) != good || err != nil && !errs.Is(err, errores.Validacion) {
			t.Errorf("%q: %v", dias, err)
		}
	}
}
