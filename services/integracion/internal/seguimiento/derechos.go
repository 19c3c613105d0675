package seguimiento

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/huella"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/removals"
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
	Coincidencias []string // that lost what they told, be it of whom the records were before
}

// EachRegistro hands over a person's records in an institution, the newest event first, in
// chunks. The Bitácora has who asked before anything is shown, also if the search fails.
func (s *Seguimiento) EachRegistro(ctx context.Context, sel Seleccion, yield func([]Registro) error) error {
	sel, err := s.checkSeleccion(ctx, sel)
	if err != nil {
		return err
	}
	recorded := false
	err = s.Casos.EachRegistro(ctx, sel, func(total int, chunk []Registro) error {
		if !recorded {
			err := s.recordDerecho(ctx, "registros_buscados", sel, Borrado{CURP: chunk[0].CURP, Registros: total})
			if err != nil {
				return err
			}
			recorded = true
		}
		return yield(chunk)
	})
	if err != nil {
		err = fmt.Errorf("ask registros: %w", err)
	}
	if !recorded {
		return s.recordOutcome(ctx, "registros_buscados", sel, Borrado{}, err)
	}
	return err
}

// DeleteRegistros erases a person's records in an institution; told to simulate it counts them.
// The Bitácora has the request before it is done, so that nothing is erased that nobody answers
// for, and afterwards what came of it.
func (s *Seguimiento) DeleteRegistros(ctx context.Context, sel Seleccion, simular bool) (Borrado, error) {
	sel, err := s.checkSeleccion(ctx, sel)
	if err != nil {
		return Borrado{}, err
	}
	found, err := s.Casos.DeleteRegistros(ctx, sel, true)
	if err != nil {
		err = fmt.Errorf("ask registros: %w", err)
	}
	if err != nil || simular {
		return found, s.recordOutcome(ctx, "registros_contados", sel, found, err)
	}
	err = s.recordDerecho(ctx, "borrado_pedido", sel, found)
	if err != nil {
		return Borrado{}, err
	}
	done, err := s.erase(ctx, sel, found)
	asiento := s.asientoDerecho(removals.Erasure, sel, Borrado{CURP: found.CURP, Registros: done.Registros, Coincidencias: done.Coincidencias})
	if err != nil {
		return done, s.recordReason(ctx, asiento, err)
	}
	return done, s.Store.RecordErasure(context.WithoutCancel(ctx), asiento, done.Coincidencias)
}

// recordOutcome leaves the line of what came of a request, be it that it was refused, which
// tells of the person too; it gives that reason back. Whoever asked may have gone.
func (s *Seguimiento) recordOutcome(ctx context.Context, accion string, sel Seleccion, came Borrado, reason error) error {
	return s.recordReason(ctx, s.asientoDerecho(accion, sel, came), reason)
}

// recordReason leaves a line with the reason of a refusal, if there is one, and gives it back.
func (s *Seguimiento) recordReason(ctx context.Context, asiento bitacora.Asiento, reason error) error {
	if reason != nil {
		asiento.Motivo = errores.Codigo(errs.MotivoOf(reason))
	}
	return errors.Join(reason, s.Store.RecordAsiento(context.WithoutCancel(ctx), asiento))
}

// erase forgets what the platform said of what was found, and has registros erase it. In that
// order, because once it is erased nobody knows which Coincidencias it had; what was answered
// in between goes afterwards.
func (s *Seguimiento) erase(ctx context.Context, sel Seleccion, found Borrado) (Borrado, error) {
	err := s.forget(ctx, sel, found)
	if err != nil {
		return Borrado{}, err
	}
	done, err := s.Casos.DeleteRegistros(ctx, sel, false)
	if err != nil {
		return Borrado{}, fmt.Errorf("ask registros: %w", err)
	}
	return done, s.forget(context.WithoutCancel(ctx), sel, done)
}

// forget removes what the platform said of the person, and of what was told while a record was
// somebody else's.
func (s *Seguimiento) forget(ctx context.Context, sel Seleccion, b Borrado) error {
	return s.Store.ForgetDetalles(ctx, sel.EmpresaID, huella.CURP(s.Huellas, cmp.Or(sel.CURP, b.CURP)), b.Coincidencias)
}

// recordDerecho leaves the line of a request of a person.
func (s *Seguimiento) recordDerecho(ctx context.Context, accion string, sel Seleccion, found Borrado) error {
	return s.Store.RecordAsiento(ctx, s.asientoDerecho(accion, sel, found))
}

// asientoDerecho names the record by a keyed hash, as it does the person: an institution may
// write what it likes into a folio, and the Bitácora forgets nothing.
func (s *Seguimiento) asientoDerecho(accion string, sel Seleccion, found Borrado) bitacora.Asiento {
	a := bitacora.Asiento{
		EmpresaID: sel.EmpresaID, Tipo: bitacora.AsientoCambio, Accion: accion,
		HuellaCURP: huella.CURP(s.Huellas, cmp.Or(sel.CURP, found.CURP)),
		Datos:      map[string]any{"registros": found.Registros, "coincidencias": len(found.Coincidencias)},
	}
	if sel.Folio != "" {
		a.Recurso = hex.EncodeToString(huella.Folio(s.Huellas, sel.EmpresaID, sel.Folio))
	}
	return a
}

func (s *Seguimiento) checkSeleccion(ctx context.Context, sel Seleccion) (Seleccion, error) {
	var err error
	switch {
	case (sel.CURP == "") == (sel.Folio == ""):
		err = errs.New(errores.Validacion, "Dé la CURP o el folio, y no los dos.").
			WithFields(errs.Campo("/curp", errores.Requerido, "La CURP o el folio, uno de los dos."))
	case sel.CURP != "":
		sel.CURP, err = readCURP(sel.CURP)
	case utf8.RuneCountInString(sel.Folio) > manual.MaxFolio || strings.ContainsFunc(sel.Folio, unicode.IsControl):
		err = errs.New(errores.Validacion, "El folio no es válido.").
			WithFields(errs.Campo("/folio", errores.Longitud, fmt.Sprintf("El folio tiene de 1 a %d caracteres, ninguno de control.", manual.MaxFolio)))
	}
	if err != nil {
		return sel, err
	}
	return sel, s.checkEmpresa(ctx, sel.EmpresaID)
}

func readCURP(text string) (string, error) {
	curp := manual.NormalizeCURP(text)
	if !manual.IsCURP(curp) {
		return curp, errs.New(errores.Validacion, "La CURP no es válida.").
			WithFields(errs.Campo("/curp", errores.Formato, errores.FormaCURP))
	}
	return curp, nil
}
