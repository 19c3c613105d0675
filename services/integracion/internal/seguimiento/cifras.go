package seguimiento

import (
	"context"
	"fmt"
	"time"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Cifras is what a day came to in an institution; registros says it.
type Cifras struct {
	Dia           string // of Mexico City
	Recibidos     int    // in batches
	Creados       int
	Actualizados  int
	Rechazados    int
	Coincidencias int
	Notificadas   int           // of these
	Mediana       time.Duration // from found to taken; zero without Notificadas
}

// Cifras gives what each of the last days came to, oldest first.
func (s *Seguimiento) Cifras(ctx context.Context, empresa tenant.EmpresaID) ([]Cifras, error) {
	err := s.checkEmpresa(ctx, empresa)
	if err != nil {
		return nil, err
	}
	all, err := s.Casos.ListCifras(ctx, empresa)
	if err != nil {
		return nil, fmt.Errorf("ask registros: %w", err)
	}
	return all, nil
}
