package cuentas

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const limiteIntentos = 10

// try logs in and tells the reason of a refusal, zero if there is none.
func (f *sesionFixture) try(ctx context.Context, c Credenciales) errores.Motivo {
	_, _, err := f.sesiones.Login(ctx, c)
	if err == nil {
		return 0
	}
	return errs.MotivoOf(err)
}

// right gives each base with those who may log in there.
var right = map[string]Credenciales{
	"platform at A":        {EmpresaID: empresaA, Usuario: "PUI", Clave: claveA},
	"platform at B":        {EmpresaID: empresaB, Usuario: "PUI", Clave: claveB},
	"platform at the root": {Usuario: "PUI", Clave: claveA},
	"operator":             {Usuario: "operador", Clave: claveO},
}

// Whoever guesses at a base is held there, and there alone; nobody else is.
func TestSesiones_Login_limitsArePerAddressAndBase(t *testing.T) {
	t.Parallel()
	for guessed, wrong := range map[string]Credenciales{
		"at A":                {EmpresaID: empresaA, Usuario: "PUI", Clave: "otra"},
		"operators at A":      {EmpresaID: empresaA, Usuario: "operador", Clave: "otra"},
		"B's clave at A":      {EmpresaID: empresaA, Usuario: "PUI", Clave: claveB},
		"at the root":         {Usuario: "PUI", Clave: "otra"},
		"operators":           {Usuario: "operador", Clave: "otra"},
		"operators not there": {Usuario: "nadie", Clave: "otra"},
	} {
		f := newSesionFixture(t)
		wrong.IP = "192.0.2.1"
		for n := range limiteIntentos {
			if got := f.try(t.Context(), wrong); got != errores.CredencialInvalida {
				t.Fatalf("%s: try %d: %v", guessed, n, got)
			}
		}
		for name, c := range right {
			var want errores.Motivo
			if c.EmpresaID == wrong.EmpresaID {
				want = errores.DemasiadasSolicitudes
			}
			c.IP = "192.0.2.1"
			if got := f.try(t.Context(), c); got != want {
				t.Errorf("after guesses %s, %s from there: %v, want %v", guessed, name, got, want)
			}
			c.IP = "192.0.2.2"
			if got := f.try(t.Context(), c); got != 0 {
				t.Errorf("after guesses %s, %s from elsewhere: %v", guessed, name, got)
			}
		}
	}
}

func TestSesiones_Login_pastTheLimitNothingIsExamined(t *testing.T) {
	t.Parallel()
	f := newSesionFixture(t)
	for range limiteIntentos {
		f.try(t.Context(), Credenciales{Usuario: "PUI", Clave: "otra"})
	}
	f.hasher.work = 0
	for _, c := range []Credenciales{{Usuario: "PUI", Clave: claveA}, {Usuario: "PUI"}} {
		got := f.try(t.Context(), c)
		if got != errores.DemasiadasSolicitudes || f.hasher.work != 0 {
			t.Errorf("%v after hashing %d times", got, f.hasher.work)
		}
	}
	if len(f.store.failures) != limiteIntentos {
		t.Errorf("%d failures are kept", len(f.store.failures))
	}
}

// onlyCode is the one code that is right, always anew.
const onlyCode = Secreto("123456")

type steps struct{ atomic.Int64 }

func (s *steps) New(string) (secreto, url Secreto, err error) { return "secreto", "otpauth://", nil }

func (s *steps) Match(_, codigo Secreto, _ time.Time) (int64, bool) {
	return s.Add(1), codigo == onlyCode
}

func newTOTPFixture(t *testing.T) *sesionFixture {
	t.Helper()
	f := newSesionFixture(t)
	f.sesiones.Caja, f.sesiones.Codigos, f.sesiones.Now = plainCaja{}, &steps{}, time.Now
	sealed, err := plainCaja{}.Seal("secreto", contextoTOTP("operador"))
	if err != nil {
		t.Fatal(err)
	}
	err = f.store.changeUsuario("operador", func(u *Usuario) { u.TOTP = sealed })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// from is a right login of the operator but for what change makes of it, from an address of
// its own.
func from(n int, codigo Secreto) Credenciales {
	return Credenciales{Usuario: "operador", Clave: claveO, Codigo: codigo, IP: fmt.Sprintf("192.0.2.%d", n)}
}

func TestSesiones_Login_wrongCodesCountFromEverywhere(t *testing.T) {
	t.Parallel()
	f := newTOTPFixture(t)
	for n := range limiteIntentos {
		if got := f.try(t.Context(), from(n, "000000")); got != errores.CredencialInvalida {
			t.Fatalf("guess %d: %v", n, got)
		}
	}
	// Neither the right code nor a wrong clave learns more than that.
	for name, c := range map[string]Credenciales{
		"right code": from(100, onlyCode), "wrong code": from(101, "000001"), "wrong clave": {Usuario: "operador", Clave: "otra", IP: "192.0.2.102"},
	} {
		if got := f.try(t.Context(), c); got != errores.DemasiadasSolicitudes {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, name := range []string{"platform at A", "platform at the root"} {
		if got := f.try(t.Context(), right[name]); got != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// An operator is not locked out by those who do not know the clave, nor by forgetting a code.
func TestSesiones_Login_onlyCodesCountAgainstTheOperator(t *testing.T) {
	t.Parallel()
	f := newTOTPFixture(t)
	for n := range 5 * limiteIntentos {
		wrong := from(n, "000000")
		wrong.Clave = "otra"
		f.try(t.Context(), wrong)
		f.try(t.Context(), from(n, ""))
	}
	if got := f.try(t.Context(), from(100, onlyCode)); got != 0 {
		t.Errorf("right login: %v", got)
	}
}

func TestSesiones_Login_aFloodAtOnceStaysNearTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newSesionFixture(t)
		f.hasher.takes = time.Millisecond
		for range 200 {
			go func() {
				if got := f.try(t.Context(), Credenciales{Usuario: "PUI", Clave: "otra", IP: "192.0.2.1"}); got == 0 {
					t.Error("a wrong clave was admitted")
				}
			}()
		}
		time.Sleep(time.Second)
		if most := limiteIntentos + runtime.GOMAXPROCS(0) - 1; f.hasher.done() > most {
			t.Errorf("%d claves were examined, want at most %d", f.hasher.done(), most)
		}
	})
}

// A crowd is bounded, and whoever comes to another base is next; so is the platform where a
// crowd guesses at operators.
func TestSesiones_Login_aCrowdHoldsUpNobodyElse(t *testing.T) {
	const crowd = 300
	for _, tt := range []struct {
		at   Credenciales
		next string
	}{
		{Credenciales{EmpresaID: empresaA, Usuario: "PUI", Clave: "otra"}, "platform at B"},
		{Credenciales{Usuario: "PUI", Clave: "otra"}, "platform at A"},
		{Credenciales{Usuario: "operador", Clave: "otra"}, "platform at the root"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newSesionFixture(t)
			f.hasher.takes = 100 * time.Millisecond
			var refused atomic.Int64
			for n := range crowd {
				wrong := tt.at
				wrong.IP = fmt.Sprintf("192.0.%d.%d", n/100, n%100)
				go func() {
					if f.try(t.Context(), wrong) == errores.NoDisponible {
						refused.Add(1)
					}
				}()
			}
			synctest.Wait()
			if refused.Load() != crowd-maxClaves {
				t.Errorf("%d are turned away at once, want all but %d", refused.Load(), maxClaves)
			}
			if got := f.try(t.Context(), right[tt.next]); got != 0 {
				t.Errorf("%s: %v", tt.next, got)
			}
			if f.hasher.done() >= maxClaves {
				t.Errorf("%s came last", tt.next)
			}
			time.Sleep(time.Minute)
		})
	}
}

func TestSesiones_Login_tellsACrowdWhenToComeAgain(t *testing.T) {
	t.Parallel()
	f := newSesionFixture(t)
	leave, err := f.sesiones.claves.Enter(t.Context(), string(empresaA), maxClaves)
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, _, err = f.sesiones.Login(ctx, right["platform at A"])
	refusal, _ := errors.AsType[*errs.Error](err)
	if refusal == nil || refusal.Motivo != errores.NoDisponible || refusal.RetryAfter <= 0 {
		t.Errorf("error = %+v", refusal)
	}
}

func TestSesiones_Login_givesUpItsTurnWithItsCaller(t *testing.T) {
	t.Parallel()
	f := newSesionFixture(t)
	leave, err := f.sesiones.claves.Enter(t.Context(), string(empresaB), int64(runtime.GOMAXPROCS(0)))
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = f.sesiones.Login(ctx, right["platform at A"])
	if err == nil || f.hasher.work != 0 {
		t.Errorf("error = %v after hashing %d times", err, f.hasher.work)
	}
}

// What is counted never mixes two addresses, bases or operators.
func TestSesiones_origenOf(t *testing.T) {
	t.Parallel()
	f := newSesionFixture(t)
	seen := map[string]string{}
	for _, ip := range []string{"192.0.2.1", "192.0.2.2", "2001:db8::/64"} {
		for _, empresa := range []tenant.EmpresaID{"", empresaA, empresaB} {
			name := strings.Join([]string{ip, string(empresa)}, " ")
			origen := f.sesiones.origenOf(Credenciales{IP: ip, EmpresaID: empresa, Usuario: "PUI"})
			if other, twice := seen[string(origen.Par)]; twice || origen.Codigo != nil {
				t.Errorf("%s counts as %s, and as the operator %q", name, other, origen.Codigo)
			}
			seen[string(origen.Par)] = name
		}
	}
}
