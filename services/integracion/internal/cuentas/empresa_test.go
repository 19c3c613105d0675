package cuentas

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

func TestEmpresas_Create(t *testing.T) {
	tests := []struct {
		name string
		e    Empresa
		good bool
	}{
		{"company", Empresa{ID: "LAB010101AB1", Nombre: "LABORATORIO"}, true},
		{"person", Empresa{ID: "LABO010101AB1", Nombre: "LABORATORIO"}, true},
		{"RFC with Ñ and the portal's id", Empresa{ID: "ÑAB010101AB1", Nombre: "LABORATORIO", InstitucionID: "NAB010101AB1"}, true},
		{"RFC with Ñ alone", Empresa{ID: "ÑAB010101AB1", Nombre: "LABORATORIO"}, false},
		{"no RFC", Empresa{ID: "LABORATORIO", Nombre: "LABORATORIO"}, false},
		{"lower case", Empresa{ID: "lab010101ab1", Nombre: "LABORATORIO"}, false},
		{"no name", Empresa{ID: "LAB010101AB1", Nombre: "  "}, false},
		{"endless name", Empresa{ID: "LAB010101AB1", Nombre: strings.Repeat("A", 201)}, false},
		{"address", Empresa{ID: "LAB010101AB1", Nombre: "N", PUIURL: "https://pui.example.mx/api/v1/"}, true},
		{"address without TLS", Empresa{ID: "LAB010101AB1", Nombre: "N", PUIURL: "http://pui.example.mx"}, false},
		{"address with a user", Empresa{ID: "LAB010101AB1", Nombre: "N", PUIURL: "https://a:b@pui.example.mx"}, false},
		{"address with a query", Empresa{ID: "LAB010101AB1", Nombre: "N", PUIURL: "https://pui.example.mx?a=b"}, false},
		{"half an address", Empresa{ID: "LAB010101AB1", Nombre: "N", PUIURL: "pui.example.mx"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			empresas := &Empresas{Store: newMemory(), Hasher: &plainHasher{}, Caja: plainCaja{}}
			altas, err := empresas.Create(t.Context(), []NuevaEmpresa{{Empresa: tt.e}}, false)
			if (err == nil) != tt.good || err != nil && !errs.Is(err, errores.Validacion) {
				t.Fatalf("error = %v, want good %v", err, tt.good)
			}
			if !tt.good {
				return
			}
			if a := altas[0]; a.InstitucionID == "" || strings.HasSuffix(a.PUIURL, "/") || !manual.IsClave(string(a.Clave)) {
				t.Errorf("created %+v", a)
			}
		})
	}
}

func TestEmpresas_claves(t *testing.T) {
	store := newMemory()
	empresas := &Empresas{Store: store, Hasher: &plainHasher{}, Caja: plainCaja{}, AllowHTTP: true}
	_, err := empresas.Create(t.Context(), []NuevaEmpresa{{Empresa: Empresa{ID: empresaA, Nombre: "N"}}}, false)
	if err != nil {
		t.Fatal(err)
	}
	made, err := empresas.SetClaveEntrada(t.Context(), empresaA, "")
	if err != nil || !manual.IsClave(string(made)) {
		t.Errorf("made up %q, %v", string(made), err)
	}
	_, err = empresas.SetClaveEntrada(t.Context(), empresaA, "sin mayusculas ni")
	if !errs.Is(err, errores.Validacion) {
		t.Errorf("weak clave: %v", err)
	}
	_, err = empresas.SetClaveSalida(t.Context(), empresaA, "http://127.0.0.1:8090/", "clave")
	if err != nil || store.salida.Llave != contextoSalida(empresaA) {
		t.Errorf("sealed for %q, %v", store.salida.Llave, err)
	}
	_, err = empresas.SetClaveSalida(t.Context(), empresaA, "http://127.0.0.1:8090/", Secreto(strings.Repeat("a", 51)))
	if !errs.Is(err, errores.Validacion) {
		t.Errorf("endless clave: %v", err)
	}
}

func TestNewClave_followsTheRule(t *testing.T) {
	seen := map[Secreto]bool{}
	for range 1000 {
		clave := NewClave()
		if !manual.IsClave(string(clave)) || seen[clave] {
			t.Fatalf("clave %q breaks the rule or repeats", string(clave))
		}
		seen[clave] = true
	}
}

func TestUsuarios_Create(t *testing.T) {
	usuarios := &Usuarios{Store: newMemory(), Hasher: &plainHasher{}}
	for usuario, good := range map[string]bool{
		"operador": true, "a.b-c_d": true,
		"": false, "PUI": false, "con espacio": false, "ñ": false, strings.Repeat("a", 65): false,
	} {
		_, err := usuarios.Create(t.Context(), usuario, "")
		if (err == nil) != good {
			t.Errorf("%q: %v", usuario, err)
		}
	}
	_, err := usuarios.Create(t.Context(), "otro", "corta")
	if !errs.Is(err, errores.Validacion) {
		t.Errorf("short clave: %v", err)
	}
}

func TestSecreto_hidesItself(t *testing.T) {
	secreto := Secreto("muy privado")
	inside := struct{ S Secreto }{secreto}
	encoded, err := json.Marshal(inside)
	if err != nil {
		t.Fatal(err)
	}
	for _, printed := range []string{
		fmt.Sprint(secreto), fmt.Sprintf("%s %q %v %+v %#v", secreto, secreto, secreto, inside, inside),
		secreto.LogValue().String(), string(encoded),
	} {
		if strings.Contains(printed, "privado") {
			t.Errorf("printed %q", printed)
		}
	}
}
