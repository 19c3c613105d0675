package seguimiento

import (
	"context"
	"encoding/hex"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

func (c *casos) EachRegistro(_ context.Context, _ Seleccion, yield func(int, []Registro) error) error {
	for n := range c.kept.Registros {
		err := yield(c.kept.Registros, []Registro{{CURP: c.kept.CURP, Folio: strconv.Itoa(n)}})
		if err != nil {
			return err
		}
	}
	return c.err
}

// Whoever sees what is kept of a person is in the Bitácora once, and before anything is shown.
func TestSeguimiento_EachRegistro(t *testing.T) {
	for found, curp := range map[int]string{0: "", 2: "curp:PEXA900115HDFRXN06"} {
		m := &memory{}
		s := newSeguimiento(m, &casos{kept: Borrado{CURP: "PEXA900115HDFRXN06", Registros: found}})
		shown := 0
		err := s.EachRegistro(t.Context(), Seleccion{EmpresaID: empresaA, Folio: "A-1"}, func(chunk []Registro) error {
			if len(m.asientos) != 1 {
				t.Errorf("shown with %d lines in the Bitácora", len(m.asientos))
			}
			shown += len(chunk)
			return nil
		})
		if err != nil || shown != found || len(m.asientos) != 1 {
			t.Fatalf("%d shown, %v, %+v", shown, err, m.asientos)
		}
		line := m.asientos[0]
		if line.Accion != "registros_buscados" || string(line.HuellaCURP) != curp || line.Datos["registros"] != found {
			t.Errorf("the Bitácora says %+v", line)
		}
	}
}

// A search that fails leaves its line too, with the reason.
func TestSeguimiento_EachRegistro_fails(t *testing.T) {
	m := &memory{}
	s := newSeguimiento(m, &casos{err: errs.New(errores.NoDisponible, "x")})
	err := s.EachRegistro(t.Context(), Seleccion{EmpresaID: empresaA, CURP: "PEXA900115HDFRXN06"}, nil)
	if !errs.Is(err, errores.NoDisponible) || len(m.asientos) != 1 || m.asientos[0].Motivo != "no_disponible" || m.asientos[0].HuellaCURP == nil {
		t.Errorf("%v, %+v", err, m.asientos)
	}
}

// A CURP is read as a record's is: no other letter turns into an ASCII one.
func TestSeguimiento_EachRegistro_ofACURP(t *testing.T) {
	for given, want := range map[string]string{
		" pexa900115hdfrxn06 ": "curp:PEXA900115HDFRXN06",
		"PEXA900115HDFRXNſ6":   "",
		"PıXA900115HDFRXN06":   "",
	} {
		m := &memory{}
		err := newSeguimiento(m, &casos{}).EachRegistro(t.Context(), Seleccion{EmpresaID: empresaA, CURP: given}, nil)
		if want == "" {
			if !errs.Is(err, errores.Validacion) || len(m.asientos) != 0 {
				t.Errorf("%q: %v, %+v", given, err, m.asientos)
			}
		} else if err != nil || len(m.asientos) != 1 || string(m.asientos[0].HuellaCURP) != want {
			t.Errorf("%q: %v, %+v", given, err, m.asientos)
		}
	}
}

// A request is in the Bitácora, by hashes, before it is done, and then its outcome.
func TestSeguimiento_DeleteRegistros(t *testing.T) {
	m := &memory{}
	c := &casos{kept: Borrado{CURP: "PEXA900115HDFRXN06", Registros: 2, Coincidencias: []string{"C-1"}}}
	s := newSeguimiento(m, c)
	sel := Seleccion{EmpresaID: empresaA, Folio: "A-1"}
	got, err := s.DeleteRegistros(t.Context(), sel, true)
	if err != nil || !reflect.DeepEqual(got, c.kept) || c.erased != 0 || len(m.forgotten) != 0 {
		t.Errorf("counted %+v, %v; %d erased, %v forgotten", got, err, c.erased, m.forgotten)
	}
	// Before, for nobody knows afterwards what it was, and again for what came in between.
	forgotten := []string{"curp:PEXA900115HDFRXN06 C-1", "curp:PEXA900115HDFRXN06 C-1"}
	got, err = s.DeleteRegistros(t.Context(), sel, false)
	if err != nil || !reflect.DeepEqual(got, c.kept) || c.erased != 1 || !slices.Equal(m.forgotten, forgotten) {
		t.Errorf("erased %+v, %v; %d times, %v forgotten", got, err, c.erased, m.forgotten)
	}
	for _, line := range m.asientos {
		if line.EmpresaID != empresaA || line.Recurso != hex.EncodeToString([]byte("folio:"+string(empresaA)+" A-1")) || line.Motivo != "" ||
			string(line.HuellaCURP) != "curp:PEXA900115HDFRXN06" || line.Datos["registros"] != 2 || line.Datos["coincidencias"] != 1 {
			t.Errorf("the Bitácora says %+v", line)
		}
	}
	c.refuses = errs.New(errores.Conflicto, "x")
	_, err = s.DeleteRegistros(t.Context(), sel, false)
	last := m.asientos[len(m.asientos)-1]
	if !errs.Is(err, errores.Conflicto) || last.Motivo != errores.Codigo(errores.Conflicto) || last.Datos["registros"] != 0 {
		t.Errorf("refused in between: %v, %+v", err, last)
	}
	c.err = c.refuses
	_, err = s.DeleteRegistros(t.Context(), sel, false)
	last = m.asientos[len(m.asientos)-1]
	if !errs.Is(err, errores.Conflicto) || c.erased != 1 || last.Motivo != errores.Codigo(errores.Conflicto) {
		t.Errorf("refused: %v, %d erased, %+v", err, c.erased, last)
	}
	want := []string{
		"registros_contados", "borrado_pedido", "registros_borrados", "borrado_pedido", "registros_borrados",
		"registros_contados",
	}
	if seen := acciones(m.asientos); !slices.Equal(seen, want) {
		t.Errorf("the Bitácora has %v, want %v", seen, want)
	}
}

func acciones(asientos []bitacora.Asiento) []string {
	var all []string
	for _, a := range asientos {
		all = append(all, a.Accion)
	}
	return all
}

func TestSeguimiento_DeleteRegistros_refusesWhatNamesNothing(t *testing.T) {
	s := newSeguimiento(&memory{}, &casos{})
	for _, wrong := range []Seleccion{
		{EmpresaID: empresaA}, {EmpresaID: empresaA, CURP: "PEXA900115HDFRXN06", Folio: "A-1"},
		{EmpresaID: empresaA, CURP: "corta"}, {EmpresaID: empresaA, Folio: "A\x00"},
	} {
		_, err := s.DeleteRegistros(t.Context(), wrong, false)
		if !errs.Is(err, errores.Validacion) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}
