package cuentas

import (
	"context"
	"errors"
	"testing"
)

// llavero opens what "old" sealed, but for what is broken.
type llavero struct{}

func (llavero) Llaves() []string { return []string{"new", "old"} }

func (llavero) Open(s Sellado, _ string) (Secreto, error) {
	if string(s.Datos) == "broken" {
		return "", errors.New("does not open")
	}
	return Secreto(s.Datos), nil
}

func (llavero) Seal(s Secreto, _ string) (Sellado, error) {
	return Sellado{Llave: "new", Datos: []byte(s)}, nil
}

// sellados keeps secrets by operator.
type sellados map[string]Sellado

func (m sellados) ListSellados(context.Context, []string, int) ([]SelladoGuardado, error) {
	var due []SelladoGuardado
	for usuario, s := range m {
		if s.Llave == "old" {
			due = append(due, SelladoGuardado{Clase: SelladoTOTP, Recurso: usuario, Sellado: s})
		}
	}
	return due, nil
}

func (m sellados) CountSellados(context.Context) (map[string]int, error) {
	counts := map[string]int{}
	for _, s := range m {
		counts[s.Llave]++
	}
	return counts, nil
}

func (m sellados) ReplaceSellado(_ context.Context, old SelladoGuardado, s Sellado) error {
	m[old.Recurso] = s
	return nil
}

// A secret that does not open is counted, and the others are sealed again.
func TestRecifrado_Run_passesOverWhatDoesNotOpen(t *testing.T) {
	old := func(datos string) Sellado { return Sellado{Llave: "old", Datos: []byte(datos)} }
	r := Recifrado{Store: sellados{"a": old("x"), "b": old("broken"), "c": old("y")}, Caja: llavero{}}
	for _, want := range []Recifrados{
		{Recifrados: 2, AlDia: 2, SinLlave: 1},
		{AlDia: 2, SinLlave: 1},
	} {
		done, err := r.Run(t.Context())
		if err != nil || done != want {
			t.Errorf("got %+v, %v; want %+v", done, err, want)
		}
	}
}
