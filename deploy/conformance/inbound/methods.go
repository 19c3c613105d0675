package inbound

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// metodos are S-12 and S-13: POST is all that the four routes know.
func metodos() []Prueba {
	var all []Prueba
	for _, ruta := range rutas {
		all = append(all, Prueba{"S-12", ruta + " solo admite POST", func(ctx context.Context, c *cliente) error {
			return onlyPost(ctx, c, ruta)
		}}, Prueba{"S-12*", ruta + " dice que admite POST", func(ctx context.Context, c *cliente) error {
			r, err := c.do(ctx, solicitud{metodo: http.MethodGet, ruta: ruta})
			if err == nil && !strings.Contains(r.header.Get("Allow"), http.MethodPost) {
				err = errors.New("falta Allow: POST")
			}
			return err
		}})
	}
	return append(all,
		Prueba{"S-13", "un verbo inventado no tiene efecto", func(ctx context.Context, c *cliente) error {
			r, err := c.do(ctx, solicitud{metodo: "FOO", ruta: rutaLogin, cuerpo: credenciales("PUI", c.clave)})
			if err != nil {
				return err
			}
			return r.want(http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotImplemented)
		}},
		Prueba{"S-13", "X-HTTP-Method-Override no cambia el verbo", func(ctx context.Context, c *cliente) error {
			header := http.Header{"X-Http-Method-Override": {"POST"}}
			r, err := c.do(ctx, solicitud{metodo: http.MethodGet, ruta: rutaPrueba, token: c.token, header: header})
			if err != nil {
				return err
			}
			return r.want(http.StatusBadRequest, http.StatusMethodNotAllowed)
		}},
	)
}

func onlyPost(ctx context.Context, c *cliente, ruta string) error {
	var failures []error
	for _, metodo := range []string{"GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"} {
		r, err := c.do(ctx, solicitud{metodo: metodo, ruta: ruta})
		if err == nil {
			err = r.want(http.StatusMethodNotAllowed)
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", metodo, err))
		}
	}
	return errors.Join(failures...)
}

// situaciones are answers of every kind, to look at their headers.
var situaciones = []struct {
	nombre string
	of     func(c *cliente) solicitud
	status int
}{
	{"200", func(c *cliente) solicitud {
		return solicitud{ruta: rutaPrueba, cuerpo: muestra().encode(), token: c.token}
	}, http.StatusOK},
	{"400", func(c *cliente) solicitud { return solicitud{ruta: rutaPrueba, cuerpo: []byte(`{`), token: c.token} }, http.StatusBadRequest},
	{"401", func(*cliente) solicitud { return solicitud{ruta: rutaPrueba, cuerpo: []byte(`{}`)} }, http.StatusUnauthorized},
	{"404", func(*cliente) solicitud { return solicitud{ruta: "/esta-ruta-no-existe"} }, http.StatusNotFound},
	{"405", func(*cliente) solicitud { return solicitud{metodo: http.MethodGet, ruta: rutaLogin} }, http.StatusMethodNotAllowed},
}

// cabeceras are S-14, S-20, S-24, S-26 and S-28.
func cabeceras() []Prueba {
	var all []Prueba
	for _, s := range situaciones {
		look := func(check func(*cliente, respuesta) error) func(context.Context, *cliente) error {
			return func(ctx context.Context, c *cliente) error {
				asked := s.of(c)
				asked.header = http.Header{"Origin": {"https://evil.example"}}
				r, err := c.do(ctx, asked)
				if err != nil {
					return err
				}
				err = r.want(s.status)
				if err != nil {
					return err
				}
				return check(c, r)
			}
		}
		all = append(all,
			Prueba{"S-24", "cabeceras de seguridad en un " + s.nombre, look(securityHeaders)},
			Prueba{"S-14", "sin CORS en un " + s.nombre, look(noCORS)},
			Prueba{"S-26", "sin banderas del servidor en un " + s.nombre, look(noBanner)},
		)
	}
	for ruta, seccion := range map[string]string{
		"/docs": "S-28*", "/redoc": "S-28*", "/openapi.json": "S-28*", "/swagger": "S-28*", "/metrics": "S-28", "/actuator": "S-28",
	} {
		all = append(all, Prueba{seccion, ruta + " no se ofrece", func(ctx context.Context, c *cliente) error {
			r, err := c.do(ctx, solicitud{metodo: http.MethodGet, ruta: ruta})
			if err != nil {
				return err
			}
			return r.want(http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound)
		}})
	}
	return append(all, Prueba{"S-20", "solo TLS 1.2 o posterior", checkTLS})
}

func securityHeaders(c *cliente, r respuesta) error {
	var failures []error
	want := func(name, part string) {
		if !strings.Contains(strings.ToLower(r.header.Get(name)), part) {
			failures = append(failures, fmt.Errorf("falta %s: %s", name, part))
		}
	}
	want("X-Content-Type-Options", "nosniff")
	want("Referrer-Policy", "")
	for _, name := range []string{"X-Frame-Options", "Content-Security-Policy", "Referrer-Policy"} {
		if r.header.Get(name) == "" {
			failures = append(failures, fmt.Errorf("falta %s", name))
		}
	}
	if c.isTLS() {
		want("Strict-Transport-Security", "max-age=")
	}
	if strings.Contains(r.header.Get("Content-Security-Policy"), "unsafe-") {
		failures = append(failures, errors.New("Content-Security-Policy admite unsafe-inline o unsafe-eval"))
	}
	return errors.Join(failures...)
}

func noCORS(_ *cliente, r respuesta) error {
	if origin := r.header.Get("Access-Control-Allow-Origin"); origin != "" {
		return fmt.Errorf("Access-Control-Allow-Origin: %s", origin)
	}
	return nil
}

// noBanner admits a name, but no version.
func noBanner(_ *cliente, r respuesta) error {
	for _, name := range []string{"Server", "X-Powered-By"} {
		if slices.ContainsFunc([]rune(r.header.Get(name)), unicode.IsDigit) {
			return fmt.Errorf("%s revela una versión", name)
		}
	}
	return nil
}
