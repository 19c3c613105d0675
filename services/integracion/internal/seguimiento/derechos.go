package seguimiento

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Seleccion is what of an institution's records a person asks to see, or to have erased: all
// of a CURP, or the one of a folio.
type Seleccion struct {
	EmpresaID tenant.EmpresaID
	CURP      string
	Folio     string
}

// Registro is a record as registros keeps it.
type Registro struct {
	Folio         string
	CURP          string
	TipoEvento    string
	FechaEvento   string
	Campos        []Campo // what else was given
	CreadoEn      time.Time
	ActualizadoEn time.Time
	Notificadas   int // matches of it that the platform took
}

// Campo is a field of a Registro, by its path: "domicilio/calle".
type Campo struct {
	Campo, Valor string
}

// Borrado is what an erasure did, or would do.
type Borrado struct {
	CURP          string // whose the records were; empty if there was none
	Registros     int
	Coincidencias int // that lost what they told
}

// FindRegistros gives a person's records in an institution. Who asked is in the Bitácora.
func (s *Seguimiento) FindRegistros(ctx context.Context, sel Seleccion) ([]Registro, error) {
	sel, err := s.checkSeleccion(ctx, sel)
	if err != nil {
		return nil, err
	}
	all, err := s.Casos.FindRegistros(ctx, sel)
	if err != nil {
		return nil, fmt.Errorf("ask registros: %w", err)
	}
	found := Borrado{Registros: len(all)}
	for _, r := range all {
		found.CURP = r.CURP
	}
	return all, s.recordDerecho(ctx, "registros_buscados", sel, found)
}

// DeleteRegistros erases a person's records in an institution; told to simulate it counts them.
// The Bitácora has it before it is done: nothing is erased that nobody answers for.
func (s *Seguimiento) DeleteRegistros(ctx context.Context, sel Seleccion, simular bool) (Borrado, error) {
	sel, err := s.checkSeleccion(ctx, sel)
	if err != nil {
		return Borrado{}, err
	}
	found, err := s.Casos.DeleteRegistros(ctx, sel, true)
	if err != nil {
		return Borrado{}, fmt.Errorf("ask registros: %w", err)
	}
	if simular {
		return found, nil
	}
	err = s.recordDerecho(ctx, "registros_borrados", sel, found)
	if err != nil {
		return Borrado{}, err
	}
	done, err := s.Casos.DeleteRegistros(ctx, sel, false)
	if err != nil {
		return Borrado{}, fmt.Errorf("ask registros: %w", err)
	}
	return done, nil
}

// recordDerecho leaves the line of a request of a person.
func (s *Seguimiento) recordDerecho(ctx context.Context, accion string, sel Seleccion, found Borrado) error {
	return s.Store.RecordAsiento(ctx, bitacora.Asiento{
		EmpresaID: sel.EmpresaID, Tipo: bitacora.AsientoCambio, Accion: accion, Recurso: sel.Folio,
		HuellaCURP: cuentas.HuellaCURP(s.Huellas, cmp.Or(sel.CURP, found.CURP)),
		Datos:      map[string]any{"registros": found.Registros, "coincidencias": found.Coincidencias},
	})
}

// maxFolio is the contract's bound.
const maxFolio = 64

func (s *Seguimiento) checkSeleccion(ctx context.Context, sel Seleccion) (Seleccion, error) {
	var err error
	switch {
	case (sel.CURP == "") == (sel.Folio == ""):
		err = errs.New(errores.Validacion, "Dé la CURP o el folio, y no los dos.").
			WithFields(errs.Campo("/curp", "requerido", "La CURP o el folio, uno de los dos."))
	case sel.CURP != "":
		sel.CURP, err = readCURP(sel.CURP)
	case utf8.RuneCountInString(sel.Folio) > maxFolio || strings.ContainsFunc(sel.Folio, unicode.IsControl):
		err = errs.New(errores.Validacion, "El folio no es válido.").
			WithFields(errs.Campo("/folio", "longitud", "El folio tiene de 1 a 64 caracteres, ninguno de control."))
	}
	if err != nil {
		return sel, err
	}
	return sel, s.checkEmpresa(ctx, sel.EmpresaID)
}

func readCURP(text string) (string, error) {
	curp := strings.ToUpper(strings.TrimSpace(text))
	if !manual.IsCURP(curp) {
		return curp, errs.New(errores.Validacion, "La CURP no es válida.").
			WithFields(errs.Campo("/curp", "formato", "La CURP debe tener 18 letras o dígitos."))
	}
	return curp, nil
}
