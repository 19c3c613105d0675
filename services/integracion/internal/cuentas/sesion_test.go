package cuentas

import (
	"strings"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// plainTokens signs nothing: the token is what it would say.
type plainTokens struct{}

func (plainTokens) Sign(s Sesion) (Secreto, error) {
	return Secreto(string(s.Rol) + "/" + string(s.EmpresaID) + "/" + s.Sujeto), nil
}

const (
	claveA = Secreto("Clave-Empresa-A1")
	claveB = Secreto("Clave-Empresa-B2")
	claveO = Secreto("clave del operador")
)

type sesionFixture struct {
	store    *memory
	hasher   *plainHasher
	sesiones *Sesiones
	empresas *Empresas
}

func newSesionFixture(t *testing.T) *sesionFixture {
	t.Helper()
	f := &sesionFixture{store: newMemory(), hasher: &plainHasher{}}
	f.empresas = &Empresas{Store: f.store, Hasher: f.hasher, Caja: plainCaja{}}
	usuarios := &Usuarios{Store: f.store, Hasher: f.hasher}
	for id, clave := range map[tenant.EmpresaID]Secreto{empresaA: claveA, empresaB: claveB} {
		_, err := f.empresas.Create(t.Context(), []NuevaEmpresa{{Empresa: Empresa{ID: id, Nombre: "LABORATORIO"}}}, false)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.empresas.SetClaveEntrada(t.Context(), id, clave)
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := usuarios.Create(t.Context(), "operador", claveO)
	if err != nil {
		t.Fatal(err)
	}
	f.hasher.work = 0
	f.sesiones = NewSesiones(SesionesConfig{
		Store: f.store, Empresas: f.store, Usuarios: f.store,
		Hasher: f.hasher, Huellas: plainHuellas{}, Tokens: plainTokens{},
		Limite: LimiteLogin{Intentos: limiteIntentos, Ventana: 15 * time.Minute},
	})
	return f
}

func TestSesiones_Login(t *testing.T) {
	tests := []struct {
		name  string
		c     Credenciales
		token Secreto
		want  errores.Motivo
		work  int
	}{
		{"platform at the root", Credenciales{Usuario: "PUI", Clave: claveB}, "pui/LAB020202CD2/PUI", 0, 1},
		{"platform at the institution", Credenciales{EmpresaID: empresaA, Usuario: "PUI", Clave: claveA}, "pui/LAB010101AB1/PUI", 0, 1},
		{"operator", Credenciales{Usuario: "operador", Clave: claveO}, "operador//operador", 0, 1},
		{"wrong clave", Credenciales{Usuario: "PUI", Clave: "otra"}, "", errores.CredencialInvalida, 1},
		{"wrong clave of an operator", Credenciales{Usuario: "operador", Clave: "otra"}, "", errores.CredencialInvalida, 1},
		{"unknown user", Credenciales{Usuario: "nadie", Clave: claveO}, "", errores.CredencialInvalida, 1},
		{"user in another case", Credenciales{Usuario: "pui", Clave: claveA}, "", errores.CredencialInvalida, 1},
		{"clave of another institution", Credenciales{EmpresaID: empresaA, Usuario: "PUI", Clave: claveB}, "", errores.CredencialInvalida, 1},
		{"operator at an institution", Credenciales{EmpresaID: empresaA, Usuario: "operador", Clave: claveO}, "", errores.CredencialInvalida, 1},
		{"no user", Credenciales{Clave: claveA}, "", errores.Validacion, 0},
		{"no clave", Credenciales{Usuario: "PUI"}, "", errores.Validacion, 0},
		{"user with NUL", Credenciales{Usuario: "PUI\x00", Clave: claveA}, "", errores.Validacion, 0},
		{"clave with a line break", Credenciales{Usuario: "PUI", Clave: claveA + "\n"}, "", errores.Validacion, 0},
		{"endless clave", Credenciales{Usuario: "PUI", Clave: Secreto(strings.Repeat("a", 257))}, "", errores.Validacion, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newSesionFixture(t)
			token, sesion, err := f.sesiones.Login(t.Context(), tt.c)
			if told, _ := (plainTokens{}).Sign(sesion); err == nil && told != token {
				t.Errorf("a session of %+v with the token %q", sesion, string(token))
			}
			if token != tt.token || (tt.want == 0) != (err == nil) || err != nil && !errs.Is(err, tt.want) {
				t.Errorf("token %q, error %v; want %q, %v", string(token), err, string(tt.token), tt.want)
			}
			// The same work whoever tries, so that the time tells nothing.
			if f.hasher.work != tt.work {
				t.Errorf("hashed %d times, want %d", f.hasher.work, tt.work)
			}
			counted := len(f.store.failures) == 1
			if counted != (tt.want == errores.CredencialInvalida) {
				t.Errorf("%d failures counted", len(f.store.failures))
			}
		})
	}
}

func TestSesiones_Login_suspended(t *testing.T) {
	f := newSesionFixture(t)
	_, err := f.empresas.Suspend(t.Context(), empresaA)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = f.sesiones.Login(t.Context(), Credenciales{Usuario: "PUI", Clave: claveA})
	if !errs.Is(err, errores.CredencialInvalida) {
		t.Errorf("error = %v", err)
	}
}

func TestSesiones_Check(t *testing.T) {
	pui := Sesion{Sujeto: "PUI", Rol: auth.RolPUI, EmpresaID: empresaA, Version: 2}
	operador := Sesion{Sujeto: "operador", Rol: auth.RolOperador, Version: 1}
	tests := []struct {
		name   string
		before func(t *testing.T, f *sesionFixture)
		s      Sesion
		good   bool
	}{
		{"platform", nil, pui, true},
		{"operator", nil, operador, true},
		{"after a new clave", func(t *testing.T, f *sesionFixture) {
			_, err := f.empresas.SetClaveEntrada(t.Context(), empresaA, "")
			if err != nil {
				t.Fatal(err)
			}
		}, pui, false},
		{"suspended", func(t *testing.T, f *sesionFixture) {
			_, err := f.empresas.Suspend(t.Context(), empresaA)
			if err != nil {
				t.Fatal(err)
			}
		}, pui, false},
		{"after an operator's new clave", func(_ *testing.T, f *sesionFixture) {
			f.store.usuarios["operador"] = Usuario{Usuario: "operador", Version: 2}
		}, operador, false},
		{"operator who is gone", func(_ *testing.T, f *sesionFixture) {
			delete(f.store.usuarios, "operador")
		}, operador, false},
		{"institution that is not", nil, Sesion{Sujeto: "PUI", Rol: auth.RolPUI, EmpresaID: "NADA010101AB1", Version: 1}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newSesionFixture(t)
			if tt.before != nil {
				tt.before(t, f)
			}
			_, err := f.sesiones.Check(t.Context(), tt.s)
			if (err == nil) != tt.good || err != nil && !errs.Is(err, errores.CredencialInvalida) {
				t.Errorf("error = %v, want good %v", err, tt.good)
			}
		})
	}
}
