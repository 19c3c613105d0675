package inbound

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// pruebasDeLogin are 1.5. Only two logins are wrong, so that no limit of wrong logins is
// used up (S-17).
func pruebasDeLogin() []Prueba {
	return []Prueba{
		{"1.5", "login con la clave correcta", func(ctx context.Context, c *cliente) error {
			_, err := c.login(ctx, c.base, c.clave)
			return err
		}},
		{"S-03", "dos logins dan dos tokens distintos", func(ctx context.Context, c *cliente) error {
			token, err := c.login(ctx, c.base, c.clave)
			if err == nil && token == c.token {
				return errors.New("el token se repite")
			}
			return err
		}},
		{"S-02", "el token es un JWT que caduca", func(_ context.Context, c *cliente) error { return checkExpiry(c.token) }},
		{"1.5", "la clave equivocada es 401", wrongLogin("PUI", "Equivocada-000001")},
		{"1.5", "el usuario en minúsculas es 401", wrongLogin("pui", "Equivocada-000001")},
		{"1.5*", "login sin Content-Type", func(ctx context.Context, c *cliente) error {
			r, err := c.do(ctx, solicitud{ruta: rutaLogin, cuerpo: credenciales("PUI", c.clave), sinTipo: true})
			if err != nil {
				return err
			}
			return r.want(http.StatusOK)
		}},
		{"S-07", "login sin clave", refusedLogin(`{"usuario": "PUI"}`)},
		{"S-07", "login con números por textos", refusedLogin(`{"usuario": "PUI", "clave": 1234567890123456}`)},
		{"S-10", "login vacío", refusedLogin(``)},
		{"S-09", "login que no es JSON", refusedLogin(`usuario=PUI&clave=x`)},
	}
}

func wrongLogin(usuario, clave string) func(context.Context, *cliente) error {
	return func(ctx context.Context, c *cliente) error {
		r, err := c.do(ctx, solicitud{ruta: rutaLogin, cuerpo: credenciales(usuario, clave)})
		if err != nil {
			return err
		}
		return r.wantRefusal(http.StatusUnauthorized)
	}
}

// refusedLogin is of a login that is none; §8.1 names no status for it.
func refusedLogin(cuerpo string) func(context.Context, *cliente) error {
	return func(ctx context.Context, c *cliente) error {
		r, err := c.do(ctx, solicitud{ruta: rutaLogin, cuerpo: []byte(cuerpo)})
		if err != nil {
			return err
		}
		return r.wantRefusal(http.StatusBadRequest, http.StatusUnauthorized, http.StatusUnprocessableEntity)
	}
}

func checkExpiry(token string) error {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return errors.New("el token no es un JWT firmado")
	}
	content, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return errors.New("el token no es un JWT")
	}
	var claims struct{ Exp, Iat float64 }
	err = json.Unmarshal(content, &claims)
	if err != nil || claims.Exp == 0 {
		return errors.New("el token no dice cuándo caduca (exp)")
	}
	if claims.Iat != 0 && claims.Exp <= claims.Iat {
		return errors.New("el token caduca antes de valer")
	}
	return nil
}

// pruebasDeToken are S-01 on the three protected routes. What they post is refused even
// with a good token, so that a service without any check does nothing either.
func pruebasDeToken() []Prueba {
	tokens := []struct {
		nombre string
		of     func(good string) string
	}{
		{"sin token", func(string) string { return "" }},
		{"con un token cualquiera", func(string) string { return "abc.def.ghi" }},
		{"con otra firma", otherSignature},
		{"con alg none", withoutSignature},
	}
	var all []Prueba
	for _, ruta := range rutas[1:] {
		for _, t := range tokens {
			all = append(all, Prueba{"S-01", ruta + " " + t.nombre + " es 401", func(ctx context.Context, c *cliente) error {
				r, err := c.do(ctx, solicitud{ruta: ruta, cuerpo: []byte(`{}`), token: t.of(c.token)})
				if err != nil {
					return err
				}
				return r.wantRefusal(http.StatusUnauthorized)
			}})
		}
	}
	return all
}

// otherSignature changes a character in the middle of the signature; the last one may hold
// bits that count for nothing.
func otherSignature(token string) string {
	at := strings.LastIndexByte(token, '.') + (len(token)-strings.LastIndexByte(token, '.'))/2
	other := byte('A')
	if token[at] == other {
		other = 'B'
	}
	return token[:at] + string(other) + token[at+1:]
}

func withoutSignature(token string) string {
	_, rest, _ := strings.Cut(token, ".")
	claims, _, _ := strings.Cut(rest, ".")
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + claims + "."
}

// pruebasDeOtra are S-04: the token of another institution of the same service.
func pruebasDeOtra(o Objetivo) []Prueba {
	return []Prueba{
		{"S-04", "el token de otra institución no vale aquí", func(ctx context.Context, c *cliente) error {
			token, err := c.login(ctx, o.OtraBaseURL, o.OtraClave)
			if err != nil {
				return fmt.Errorf("login de la otra institución: %w", err)
			}
			r, err := c.do(ctx, solicitud{ruta: rutaPrueba, cuerpo: muestra().encode(), token: token})
			if err != nil {
				return err
			}
			return r.wantRefusal(http.StatusUnauthorized, http.StatusForbidden)
		}},
		{"S-04", "la clave de otra institución no vale aquí", wrongLogin("PUI", o.OtraClave)},
	}
}
