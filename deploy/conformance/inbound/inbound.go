// Package inbound holds the base URL of an institution, of whatever maker, against what the
// national platform asks of it: the acceptances, refusals and fixtures of pui.md 1.5 to 1.8,
// the security requirements of 4.3 that can be seen from outside, and section 5.
//
// It asks as the platform would and looks at answers only. Unless told otherwise it
// activates nothing but tests, so it may be pointed at a service in use: what goes to the
// other routes is refused by every service that is worth registering. Where the manual
// leaves an answer open, any that it could mean passes. Texts are for the operator who reads
// the table, hence Spanish.
package inbound

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Objetivo is what is examined.
type Objetivo struct {
	// BaseURL is the institution's, as it registers it with the platform.
	BaseURL string
	// Clave is the one with which the platform logs in.
	Clave string
	// Real also activates and deactivates a report of a CURP that nobody has.
	Real bool
	// OtraClave and OtraBaseURL are another institution's of the same service, if there is
	// one to try: its token must be worth nothing here.
	OtraClave, OtraBaseURL string
	// HTTP makes the requests; nil is one with sensible limits.
	HTTP *http.Client
}

// Prueba is one thing that must hold.
type Prueba struct {
	// Seccion is where pui.md says so, with an asterisk if only our reading of the manual does.
	Seccion string
	Nombre  string

	run func(ctx context.Context, c *cliente) error
}

// Resultado is how a Prueba came out; Err is nil if it holds.
type Resultado struct {
	Prueba
	Err error
}

// errNuestra is of an answer that the manual admits and our reading of it does not, and errCaida
// of none, or of one that no reading admits.
var (
	errNuestra = errors.New("lo pide nuestra lectura, no el manual")
	errCaida   = errors.New("el servicio falló")
)

// EsAviso reports whether what does not hold is only a warning: the platform does not demand it.
func (r Resultado) EsAviso() bool {
	return r.Err != nil && (strings.HasSuffix(r.Seccion, "*") || errors.Is(r.Err, errNuestra)) && !errors.Is(r.Err, errCaida)
}

const requestLimit = 30 * time.Second

// Run makes every Prueba that suits the target, one after the other. The error is of the
// target's description; what the target does wrong is in the results.
func Run(ctx context.Context, o Objetivo) ([]Resultado, error) {
	parsed, err := url.Parse(o.BaseURL)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "https" && parsed.Scheme != "http") {
		return nil, errors.New("BASE_URL debe ser una dirección http(s) completa")
	}
	if o.Clave == "" {
		return nil, errors.New("CLAVE es obligatoria: la que la plataforma usa hacia la institución")
	}
	c := newCliente(o)
	defer c.http.CloseIdleConnections()
	// Without a token there is little to see, so it comes first and its failure ends it.
	c.token, err = c.login(ctx, o.BaseURL, o.Clave)
	if err != nil {
		return []Resultado{{Prueba: Prueba{Seccion: "1.5", Nombre: "login con la clave correcta"}, Err: err}}, nil
	}
	var results []Resultado
	for _, prueba := range pruebas(o) {
		results = append(results, Resultado{Prueba: prueba, Err: prueba.run(ctx, c)})
	}
	return results, ctx.Err()
}

func pruebas(o Objetivo) []Prueba {
	all := [][]Prueba{pruebasDeLogin(), pruebasDeToken(), aceptaciones(), rechazos(), malformados(), metodos(), cabeceras()}
	if o.OtraClave != "" {
		all = append(all, pruebasDeOtra(o))
	}
	if o.Real {
		all = append(all, activacionReal())
	}
	var flat []Prueba
	for _, each := range all {
		flat = append(flat, each...)
	}
	return flat
}

// newCliente keeps redirects and proxies' helpfulness out of what is seen.
func newCliente(o Objetivo) *cliente {
	client := o.HTTP
	if client == nil {
		client = &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment}, Timeout: requestLimit}
	}
	copied := *client
	copied.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &cliente{http: &copied, base: strings.TrimRight(o.BaseURL, "/"), clave: o.Clave}
}

// Incumplidas counts what does not hold, Avisos how much more is a warning.
func Incumplidas(results []Resultado) int {
	return count(results, func(r Resultado) bool { return r.Err != nil && !r.EsAviso() })
}

// Avisos counts the warnings.
func Avisos(results []Resultado) int { return count(results, Resultado.EsAviso) }

func count(results []Resultado, is func(Resultado) bool) int {
	n := 0
	for _, r := range results {
		if is(r) {
			n++
		}
	}
	return n
}

// Tabla writes the results as a table, a line each.
func Tabla(results []Resultado) string {
	var b strings.Builder
	for _, r := range results {
		verdict := "bien "
		switch {
		case r.EsAviso():
			verdict = "aviso"
		case r.Err != nil:
			verdict = "MAL  "
		}
		fmt.Fprintf(&b, "%s  %-9s %s\n", verdict, r.Seccion, r.Nombre)
		if r.Err != nil {
			fmt.Fprintf(&b, "       %s\n", r.Err)
		}
	}
	fmt.Fprintf(&b, "\n%d pruebas, %d incumplidas, %d avisos\n* lo pide nuestra lectura, no el manual: incumplirla es un aviso\n",
		len(results), Incumplidas(results), Avisos(results))
	return b.String()
}
