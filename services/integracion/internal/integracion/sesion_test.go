package integracion

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
		_, err := f.empresas.Create(t.Context(), Empresa{ID: id, Nombre: "LABORATORIO"})
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
		Limite: LimiteLogin{Intentos: 10, Ventana: 15 * time.Minute},
	})
	return f
}

func TestSesiones_Login(t *testing.T) {
	tests := []struct {
		name  string
		c     Credenciales
		token Secreto
		want  errs.Motivo
		work  int
	}{
		{"platform at the root", Credenciales{Usuario: "PUI", Clave: claveB}, "pui/LAB020202CD2/PUI", 0, 1},
		{"platform at the institution", Credenciales{EmpresaID: empresaA, Usuario: "PUI", Clave: claveA}, "pui/LAB010101AB1/PUI", 0, 1},
		{"operator", Credenciales{Usuario: "operador", Clave: claveO}, "operador//operador", 0, 1},
		{"wrong clave", Credenciales{Usuario: "PUI", Clave: "otra"}, "", errs.CredencialInvalida, 1},
		{"wrong clave of an operator", Credenciales{Usuario: "operador", Clave: "otra"}, "", errs.CredencialInvalida, 1},
		{"unknown user", Credenciales{Usuario: "nadie", Clave: claveO}, "", errs.CredencialInvalida, 1},
		{"user in another case", Credenciales{Usuario: "pui", Clave: claveA}, "", errs.CredencialInvalida, 1},
		{"clave of another institution", Credenciales{EmpresaID: empresaA, Usuario: "PUI", Clave: claveB}, "", errs.CredencialInvalida, 1},
		{"operator at an institution", Credenciales{EmpresaID: empresaA, Usuario: "operador", Clave: claveO}, "", errs.CredencialInvalida, 1},
		{"unknown institution", Credenciales{EmpresaID: "NADA010101AB1", Usuario: "PUI", Clave: claveA}, "", errs.NoEncontrado, 0},
		{"no user", Credenciales{Clave: claveA}, "", errs.Validacion, 0},
		{"no clave", Credenciales{Usuario: "PUI"}, "", errs.Validacion, 0},
		{"user with NUL", Credenciales{Usuario: "PUI\x00", Clave: claveA}, "", errs.Validacion, 0},
		{"clave with a line break", Credenciales{Usuario: "PUI", Clave: claveA + "\n"}, "", errs.Validacion, 0},
		{"endless clave", Credenciales{Usuario: "PUI", Clave: Secreto(strings.Repeat("a", 257))}, "", errs.Validacion, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newSesionFixture(t)
			token, err := f.sesiones.Login(t.Context(), tt.c)
			if token != tt.token || (tt.want == 0) != (err == nil) || err != nil && !errs.Is(err, tt.want) {
				t.Errorf("token %q, error %v; want %q, %v", string(token), err, string(tt.token), tt.want)
			}
			// The same work whoever tries, so that the time tells nothing.
			if f.hasher.work != tt.work {
				t.Errorf("hashed %d times, want %d", f.hasher.work, tt.work)
			}
			counted := len(f.store.failures) == 1
			if counted != (tt.want == errs.CredencialInvalida) {
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
	_, err = f.sesiones.Login(t.Context(), Credenciales{Usuario: "PUI", Clave: claveA})
	if !errs.Is(err, errs.CredencialInvalida) {
		t.Errorf("error = %v", err)
	}
}

func TestSesiones_Login_pastTheLimitNothingIsExamined(t *testing.T) {
	f := newSesionFixture(t)
	wrong := Credenciales{Usuario: "PUI", Clave: "otra", IP: "192.0.2.1"}
	for range 10 {
		_, err := f.sesiones.Login(t.Context(), wrong)
		if !errs.Is(err, errs.CredencialInvalida) {
			t.Fatalf("error = %v", err)
		}
	}
	f.hasher.work = 0
	_, err := f.sesiones.Login(t.Context(), Credenciales{Usuario: "PUI", Clave: claveA, IP: "192.0.2.1"})
	if !errs.Is(err, errs.DemasiadasSolicitudes) || f.hasher.work != 0 {
		t.Errorf("error = %v after hashing %d times", err, f.hasher.work)
	}
	_, err = f.sesiones.Login(t.Context(), Credenciales{Usuario: "PUI", IP: "192.0.2.1"})
	if !errs.Is(err, errs.DemasiadasSolicitudes) {
		t.Errorf("without a clave: %v", err)
	}
	_, err = f.sesiones.Login(t.Context(), Credenciales{Usuario: "PUI", Clave: claveA, IP: "192.0.2.2"})
	if err != nil {
		t.Errorf("another address: %v", err)
	}
}

// At the root all institutions' platform is one user: the wrong clave of one must not count
// against the right one of another.
func TestSesiones_origenOf_theRootTellsInstitutionsApart(t *testing.T) {
	f := newSesionFixture(t)
	usuario := func(c Credenciales) string { return string(f.sesiones.origenOf(c).Usuario) }
	if usuario(Credenciales{Usuario: "PUI", Clave: claveA}) == usuario(Credenciales{Usuario: "PUI", Clave: claveB}) {
		t.Error("two institutions are one user")
	}
	for _, c := range []Credenciales{{Usuario: "operador"}, {EmpresaID: empresaA, Usuario: "PUI"}} {
		other := c
		other.Clave = claveB
		if usuario(c) != usuario(other) {
			t.Errorf("%s gets more tries by other claves", c.Usuario)
		}
	}
}

func TestSesiones_Login_aFloodAtOnceStaysNearTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newSesionFixture(t)
		for range 200 {
			go func() {
				_, err := f.sesiones.Login(t.Context(), Credenciales{Usuario: "PUI", Clave: "otra", IP: "192.0.2.1"})
				if err == nil {
					t.Error("a wrong clave was admitted")
				}
			}()
		}
		synctest.Wait()
		if most := 10 + cap(f.sesiones.turns) - 1; f.hasher.done() > most {
			t.Errorf("%d claves were examined, want at most %d", f.hasher.done(), most)
		}
	})
}

func TestSesiones_Login_givesUpItsTurnWithItsCaller(t *testing.T) {
	f := newSesionFixture(t)
	for range cap(f.sesiones.turns) {
		f.sesiones.turns <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.sesiones.Login(ctx, Credenciales{Usuario: "PUI", Clave: claveA})
	if err == nil || f.hasher.work != 0 {
		t.Errorf("error = %v after hashing %d times", err, f.hasher.work)
	}
}

func TestSesiones_Check(t *testing.T) {
	pui := Sesion{Sujeto: "PUI", Rol: RolPUI, EmpresaID: empresaA, Version: 2}
	operador := Sesion{Sujeto: "operador", Rol: RolOperador, Version: 1}
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
		{"institution that is not", nil, Sesion{Sujeto: "PUI", Rol: RolPUI, EmpresaID: "NADA010101AB1", Version: 1}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newSesionFixture(t)
			if tt.before != nil {
				tt.before(t, f)
			}
			_, err := f.sesiones.Check(t.Context(), tt.s)
			if (err == nil) != tt.good || err != nil && !errs.Is(err, errs.CredencialInvalida) {
				t.Errorf("error = %v, want good %v", err, tt.good)
			}
		})
	}
}
