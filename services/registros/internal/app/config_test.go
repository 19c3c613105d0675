package app

import (
	"testing"
	"time"

	"github.com/caarlos0/env/v11"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// A Registro is kept by default for as long as the historical search of a Caso that opens on
// any day of four years looks back, and for the weeks that the search may be late.
func TestConfig_keepsWhatASearchLooksBackTo(t *testing.T) {
	t.Parallel()
	cfg, err := env.ParseAsWithOptions[Config](env.Options{Environment: map[string]string{
		"SERVICE_SECRET": "none is used here", "DATABASE_URL": "postgres://nowhere.example.mx/none",
	}})
	if err != nil {
		t.Fatal(err)
	}
	long, _ := manual.ParseFecha("1900-01-01")
	for day := range 4 * 366 {
		activacion := time.Date(2026, 1, 1, 18, 0, 0, 0, time.UTC).AddDate(0, 0, day)
		reporte := registros.Reporte{ActivadoEn: activacion, FechaDesaparicion: long}
		kept := cfg.retencion().RegistrosDesde(activacion.AddDate(0, 0, 28))
		if needed := reporte.Ventana().HistoricaDesde; needed.Before(kept) {
			t.Fatalf("a search of %s looks back to %s, kept is what is since %s", activacion, needed, kept)
		}
	}
}
