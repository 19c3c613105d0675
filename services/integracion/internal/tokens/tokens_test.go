package tokens

import (
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

const secret = "a secret of more than thirty-two bytes"

var (
	now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	pui = cuentas.Sesion{Sujeto: "PUI", Rol: auth.RolPUI, EmpresaID: "LAB010101AB1", Version: 3}
)

func at(moment time.Time) *Tokens {
	return New(auth.Secrets{secret}, func() time.Time { return moment })
}

// Each step of the change of a secret accepts what the step before it signed.
func TestTokens_theSecretChanges(t *testing.T) {
	const next = "the next secret, of thirty-two bytes too"
	clock := func() time.Time { return now }
	steps := []auth.Secrets{{secret}, {secret, next}, {next, secret}, {next}}
	for i := range steps[1:] {
		for signer, reader := range map[int]int{i: i + 1, i + 1: i} {
			token, err := New(steps[signer], clock).Sign(pui)
			if err != nil {
				t.Fatal(err)
			}
			_, err = New(steps[reader], clock).Read(string(token))
			if err != nil {
				t.Errorf("step %d does not accept what step %d signed: %v", reader, signer, err)
			}
		}
	}
	token, err := New(steps[0], clock).Sign(pui)
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(steps[3], clock).Read(string(token))
	if !errs.Is(err, errores.CredencialInvalida) {
		t.Errorf("the forgotten secret: %v", err)
	}
}

func TestTokens_readsWhatItSigned(t *testing.T) {
	operador := cuentas.Sesion{Sujeto: "operador", Rol: auth.RolOperador, Version: 1}
	for _, sesion := range []cuentas.Sesion{pui, operador} {
		token, err := at(now).Sign(sesion)
		if err != nil {
			t.Fatal(err)
		}
		read, err := at(now.Add(Life - time.Second)).Read(string(token))
		if err != nil || read.ID == "" {
			t.Errorf("read %+v, %v", read, err)
		}
		want := sesion
		want.ID, want.Desde = read.ID, now
		if read != want {
			t.Errorf("read %+v, want %+v", read, want)
		}
		_, err = at(now.Add(Life + time.Second)).Read(string(token))
		if !errs.Is(err, errores.CredencialCaducada) {
			t.Errorf("after its life: %v", err)
		}
	}
}

// A token that follows from another one is of the same login, and ends with it.
func TestTokens_countFromTheLogin(t *testing.T) {
	signed := cuentas.Sesion{Sujeto: "operador", Rol: auth.RolOperador, Version: 2, Desde: now.Add(-20 * time.Minute)}
	token, err := at(now).Sign(signed)
	if err != nil {
		t.Fatal(err)
	}
	read, err := at(now).Read(string(token))
	if err != nil || !read.Desde.Equal(signed.Desde) {
		t.Errorf("got a login at %v, %v, want %v", read.Desde, err, signed.Desde)
	}
	_, err = at(now.Add(Life - 20*time.Minute + time.Second)).Read(string(token))
	if !errs.Is(err, errores.CredencialCaducada) {
		t.Errorf("an hour after the login: got %v, want %s", err, errores.CredencialCaducada)
	}
}

func TestTokens_twoLoginsGiveTwoTokens(t *testing.T) {
	first, err := at(now).Sign(pui)
	if err != nil {
		t.Fatal(err)
	}
	second, err := at(now).Sign(pui)
	if err != nil || first == second {
		t.Errorf("the same token twice (%v)", err)
	}
}

// respelled sets a bit of the last letter that base64 leaves unused: 32 bytes fill 42 letters
// and two thirds of one.
func respelled(token string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(letters, token[len(token)-1])
	return token[:len(token)-1] + string(letters[last|1])
}

func TestTokens_Read_refuses(t *testing.T) {
	good := func() jwt.MapClaims {
		return jwt.MapClaims{
			"iss": Issuer, "aud": Issuer, "sub": "PUI", "rol": "pui", "empresa_id": "LAB010101AB1", "ver": 3,
			"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
		}
	}
	sign := func(method jwt.SigningMethod, key any, change func(jwt.MapClaims)) string {
		claims := good()
		change(claims)
		token, err := jwt.NewWithClaims(method, claims).SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	same := func(jwt.MapClaims) {}
	right := sign(jwt.SigningMethodHS256, []byte(secret), same)
	_, err := at(now).Read(right)
	if err != nil {
		t.Fatalf("the token that the others are made from: %v", err)
	}
	tests := map[string]string{
		"garbage":           "garbage",
		"spelled otherwise": respelled(right),
		"empty":             "",
		"other signature":   sign(jwt.SigningMethodHS256, []byte("another secret of thirty-two bytes"), same),
		"alg none":          sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, same),
		"other alg":         sign(jwt.SigningMethodHS512, []byte(secret), same),
		"no expiry":         sign(jwt.SigningMethodHS256, []byte(secret), func(c jwt.MapClaims) { delete(c, "exp") }),
		"other issuer":      sign(jwt.SigningMethodHS256, []byte(secret), func(c jwt.MapClaims) { c["iss"] = "registros" }),
		"other audience":    sign(jwt.SigningMethodHS256, []byte(secret), func(c jwt.MapClaims) { c["aud"] = "otro" }),
		"unknown role":      sign(jwt.SigningMethodHS256, []byte(secret), func(c jwt.MapClaims) { c["rol"] = "rey" }),
		"pui without institution": sign(jwt.SigningMethodHS256, []byte(secret),
			func(c jwt.MapClaims) { delete(c, "empresa_id") }),
		"operator with institution": sign(jwt.SigningMethodHS256, []byte(secret),
			func(c jwt.MapClaims) { c["rol"], c["sub"] = "operador", "operador" }),
	}
	for name, token := range tests {
		_, err := at(now).Read(token)
		if !errs.Is(err, errores.CredencialInvalida) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
