package docs

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func serve(t *testing.T, cfg Config) map[string]*httptest.ResponseRecorder {
	t.Helper()
	locals, err := Routes(cfg)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]*httptest.ResponseRecorder{}
	for _, local := range locals {
		recorder := httptest.NewRecorder()
		local.Handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, local.Pattern, nil))
		answers[local.Pattern] = recorder
	}
	return answers
}

// TestRoutes_off holds that nothing is left but the explanations of errors.
func TestRoutes_off(t *testing.T) {
	for pattern := range serve(t, Config{}) {
		if !strings.HasPrefix(pattern, "/errores/") {
			t.Errorf("%s is served", pattern)
		}
	}
}

func TestRoutes_types(t *testing.T) {
	answers := serve(t, Config{Enabled: true})
	for pattern, contentType := range map[string]string{
		"/docs":                      typeHTML,
		"/docs/docs.js":              typeJavaScript,
		"/docs/swagger-ui.css":       typeCSS,
		"/redoc":                     typeHTML,
		"/redoc/redoc.standalone.js": typeJavaScript,
		"/openapi.json":              typeJSON,
	} {
		answer := answers[pattern]
		if answer == nil {
			t.Errorf("%s is not served", pattern)
			continue
		}
		if answer.Code != http.StatusOK || answer.Header().Get("Content-Type") != contentType || answer.Body.Len() == 0 {
			t.Errorf("%s: %d %v", pattern, answer.Code, answer.Header())
		}
	}
}

// TestRoutes_policy holds the pages to their own scripts. Everything else keeps the
// policy that the edge gives to every answer.
func TestRoutes_policy(t *testing.T) {
	for pattern, answer := range serve(t, Config{Enabled: true}) {
		policy := answer.Header().Get("Content-Security-Policy")
		isPage := pattern == "/docs" || pattern == "/redoc"
		if isPage != (policy != "") {
			t.Errorf("%s: the policy is %q", pattern, policy)
		}
		if !isPage {
			continue
		}
		directives := strings.Split(policy, "; ")
		for _, wanted := range []string{"default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"} {
			if !slices.Contains(directives, wanted) {
				t.Errorf("%s: the policy lacks %s", pattern, wanted)
			}
		}
	}
}

var (
	address = regexp.MustCompile(`(?:src|href)="([^"]*)"`)
	script  = regexp.MustCompile(`(?s)<script[^>]*>(.*?)</script>`)
)

// TestRoutes_pagesAreWhole follows what the pages refer to, under a prefix, to where it is
// served. Nothing may lie elsewhere and no script in the page itself.
func TestRoutes_pagesAreWhole(t *testing.T) {
	answers := serve(t, Config{Enabled: true})
	for _, page := range []string{"/docs", "/redoc"} {
		base := url.URL{Scheme: "https", Host: "api.example.mx", Path: "/enlace" + page}
		body := answers[page].Body.String()
		for _, found := range address.FindAllStringSubmatch(body, -1) {
			if found[1] == "data:," {
				continue
			}
			target, err := base.Parse(found[1])
			if err != nil {
				t.Fatal(err)
			}
			pattern, below := strings.CutPrefix(target.Path, "/enlace")
			if target.Host != base.Host || !below || answers[pattern] == nil {
				t.Errorf("%s refers to %s, which is not served", page, target)
			}
		}
		for _, found := range script.FindAllStringSubmatch(body, -1) {
			if found[1] != "" {
				t.Errorf("%s has a script in itself: %s", page, found[1])
			}
		}
	}
}

// TestRoutes_nothingFromElsewhere looks for what a browser would fetch by itself: images
// and styles with an address, and source maps.
func TestRoutes_nothingFromElsewhere(t *testing.T) {
	fetched := []string{
		`src:"http`, `src:"//`, `src="http`, `src="//`, `url(http`, `url("http`, `url(//`, `@import`,
		"\n//# sourceMappingURL", "\n/*# sourceMappingURL",
	}
	for pattern, answer := range serve(t, Config{Enabled: true}) {
		body := answer.Body.String()
		for _, each := range fetched {
			if strings.Contains(body, each) {
				t.Errorf("%s would fetch what follows %q", pattern, each)
			}
		}
	}
}

func TestRoutes_explanations(t *testing.T) {
	pages := map[string][]string{
		"/errores/validacion": {
			"<h1>El contenido no es válido</h1>", "<code>validacion</code>, estado HTTP 422.", "rompe una regla", "use <code>lote</code>, que guarda",
		},
	}
	for _, enabled := range []bool{true, false} {
		answers := serve(t, Config{Enabled: enabled})
		for path, wanted := range pages {
			answer := answers[path]
			if answer == nil || answer.Code != http.StatusOK || answer.Header().Get("Content-Type") != typeHTML {
				t.Fatalf("enabled %v: %s gives %+v", enabled, path, answer)
			}
			for _, each := range wanted {
				if !strings.Contains(answer.Body.String(), each) {
					t.Errorf("%s lacks %q:\n%s", path, each, answer.Body)
				}
			}
		}
		if answers["/errores/otro"] != nil || answers["/errores/unspecified"] != nil {
			t.Error("an unknown codigo has an address")
		}
	}
}
