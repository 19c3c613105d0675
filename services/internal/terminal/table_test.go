package terminal

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	for salida, want := range map[string]string{
		"json":  `{"pisos":[{"numero":1,"luces":["roja"]},{"numero":300,"luces":null}]}` + "\n",
		"tabla": "NUMERO  LUCES\n1       roja\n300     —\n",
	} {
		var out bytes.Buffer
		console := &Terminal{Out: &out, Err: &out, salida: Option{Value: salida}}
		list := console.NewList("pisos", "numero", "luces")
		for _, each := range []piso{{1, []string{"roja"}}, {300, nil}} {
			err := list.Add(each)
			if err != nil {
				t.Fatal(err)
			}
		}
		err := list.Close()
		if err != nil || out.String() != want {
			t.Errorf("%s: %v\n%s", salida, err, out.String())
		}
	}
}

// A table of many rows is printed as they come; a longer cell further down only leans out.
func TestList_printsAsItGoes(t *testing.T) {
	var out bytes.Buffer
	console := &Terminal{Out: &out, Err: &out, salida: Option{Value: "tabla"}}
	list := console.NewList("pisos", "numero")
	for n := range firstRows + 1 {
		err := list.Add(piso{Numero: n})
		if err != nil {
			t.Fatal(err)
		}
	}
	if lines := strings.Count(out.String(), "\n"); lines != firstRows+1 {
		t.Errorf("%d lines before the end, want %d", lines, firstRows+1)
	}
	err := list.Close()
	if lines := strings.Count(out.String(), "\n"); err != nil || lines != firstRows+2 {
		t.Errorf("%d lines in the end, %v", lines, err)
	}
}

// Two columns of one name are told apart by what they are of.
func TestList_columnsOfOneName(t *testing.T) {
	var out bytes.Buffer
	console := &Terminal{Out: &out, Err: &out, salida: Option{Value: "tabla"}}
	list := console.NewList("pisos", "estado", "casa.estado", "casa.numero")
	err := errors.Join(list.Add(map[string]any{"estado": "nuevo", "casa": map[string]any{"estado": "vieja", "numero": 1}}), list.Close())
	if want := "ESTADO  CASA ESTADO  NUMERO\nnuevo   vieja        1\n"; err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// Without columns people see the whole of each row, and in the end how many there were.
func TestList_ofSheets(t *testing.T) {
	var out bytes.Buffer
	console := &Terminal{Out: &out, Err: &out, salida: Option{Value: "tabla"}}
	list := console.NewList("pisos")
	err := errors.Join(list.Add(piso{1, []string{"roja"}}), list.Add(piso{2, nil}), list.Close())
	if want := "numero  1\nluces   roja\n\nnumero  2\nluces   —\n\nTotal: 2\n"; err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestList_empty(t *testing.T) {
	for salida, want := range map[string]string{"json": `{"pisos":[]}` + "\n", "tabla": "Ninguno.\n"} {
		var out bytes.Buffer
		console := &Terminal{Out: &out, Err: &out, salida: Option{Value: salida}}
		err := console.NewList("pisos", "numero").Close()
		if err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", salida, out.String(), err)
		}
	}
}
