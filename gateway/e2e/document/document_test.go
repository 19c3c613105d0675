package document_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/document"
	"github.com/enlace-iis/enlace/gateway/internal/docs"
)

const address = "https://api.example.mx"

// text is the document as a gateway at address serves it.
func text(t *testing.T) []byte {
	t.Helper()
	locals, err := docs.Routes(docs.Config{Enabled: true, PublicURL: address})
	if err != nil {
		t.Fatal(err)
	}
	for _, local := range locals {
		if local.Pattern == "/openapi.json" {
			recorder := httptest.NewRecorder()
			local.Handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, local.Pattern, nil))
			return recorder.Body.Bytes()
		}
	}
	t.Fatal("no document is served")
	return nil
}

func parse(t *testing.T) *document.Document {
	t.Helper()
	doc, err := document.Parse(text(t), address)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

const (
	pong      = `{"mensaje":"pong","id_empresa":"AAA010101AAA","nombre":"N","ambiente":"production","fecha":"2025-05-06T18:00:00.000Z"}`
	problem   = `{"type":"x","title":"x","status":401,"detail":"x","instance":"/x","codigo":"CODIGO","request_id":"1","errores":[]}`
	ofManual  = `{"error":"x","errores":[],"codigo":"CODIGO","request_id":"1"}`
	caso      = `{"id":"019aa1f2-6c20-7b11-8f5e-0d1c2b3a4e5f","cerrado_en":null}`
	isJSON    = "application/json"
	isProblem = "application/problem+json"
)

// answer is one with the headers that all have, and some more.
func answer(method, path string, status int, contentType, body string, more ...string) *document.Answer {
	header := http.Header{"X-Request-Id": {"1"}, "Date": {"x"}, "Content-Type": {contentType}}
	for n := 0; n < len(more); n += 2 {
		header.Add(more[n], more[n+1])
	}
	return &document.Answer{Method: method, Path: path, Status: status, Header: header, Body: []byte(body)}
}

func codigo(body, codigo string) string { return strings.ReplaceAll(body, "CODIGO", codigo) }

func TestDocument_Check_documented(t *testing.T) {
	doc := parse(t)
	ping, revoke := "/cliente/sandbox/ping", "/webhooks/api-keys/X/revocar"
	cut := answer("GET", "/cliente/casos", 200, isJSON, `[{"id`, "ETag", "x")
	cut.Cut = true
	for name, a := range map[string]*document.Answer{
		"a right answer":             answer("POST", ping, 200, isJSON, pong),
		"a list":                     answer("GET", "/cliente/casos", 200, isJSON, `[]`, "ETag", "x"),
		"a list that was cut":        cut,
		"HEAD":                       answer("HEAD", "/cliente/casos", 200, isJSON, "", "ETag", "x"),
		"not modified":               answer("GET", "/cliente/casos", 304, "", "", "ETag", "x"),
		"a refusal":                  answer("POST", ping, 401, isProblem, codigo(problem, "credencial_invalida"), "WWW-Authenticate", "x"),
		"the platform's refusal":     answer("POST", "/i/X/login", 404, isJSON, codigo(ofManual, "no_encontrado")),
		"a parameter in the path":    answer("POST", revoke, 404, isProblem, codigo(problem, "no_encontrado")),
		"a page":                     answer("GET", "/docs", 200, "text/html; charset=utf-8", "<html>"),
		"what a page loads":          answer("GET", "/docs/docs.js", 200, "text/javascript", "x"),
		"an unknown path":            answer("GET", "/nada", 404, isProblem, codigo(problem, "no_encontrado")),
		"a final slash":              answer("POST", "/login/", 404, isProblem, codigo(problem, "no_encontrado")),
		"another verb":               answer("PUT", ping, 405, isProblem, codigo(problem, "metodo_no_permitido"), "Allow", "POST"),
		"another verb at the manual": answer("GET", "/login", 405, isJSON, codigo(ofManual, "metodo_no_permitido"), "Allow", "POST"),
		"a verb of nobody's path":    answer("GET", "/i/X/login", 404, isJSON, codigo(ofManual, "no_encontrado")),
		"an invented verb's HEAD":    answer("HEAD", "/login", 405, isJSON, "", "Allow", "POST"),
	} {
		err := doc.Check(a)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDocument_Check_breaches(t *testing.T) {
	doc := parse(t)
	ping := "/cliente/sandbox/ping"
	without := answer("POST", ping, 200, isJSON, pong)
	without.Header.Del("X-Request-Id")
	for name, tt := range map[string]struct {
		answer *document.Answer
		says   string
	}{
		"a status":                {answer("POST", ping, 418, isJSON, pong), "status is not documented"},
		"a header too many":       {answer("POST", ping, 200, isJSON, pong, "X-Extra", "1"), "X-Extra is not documented"},
		"a header twice":          {answer("POST", ping, 200, isJSON, pong, "X-Request-Id", "2"), "2 times"},
		"a header too few":        {without, "X-Request-ID is missing"},
		"no ETag":                 {answer("GET", "/cliente/casos", 200, isJSON, `[]`), "ETag is missing"},
		"no ETag for HEAD":        {answer("HEAD", "/cliente/casos", 200, isJSON, ``), "ETag is missing"},
		"a Content-Type":          {answer("POST", ping, 200, "text/plain", pong), `"text/plain" is not documented`},
		"a field too many":        {answer("POST", ping, 200, isJSON, strings.Replace(pong, "{", `{"extra":1,`, 1)), "extra"},
		"a field too few":         {answer("POST", ping, 200, isJSON, strings.Replace(pong, `"nombre":"N",`, ``, 1)), "nombre"},
		"a field's type":          {answer("POST", ping, 200, isJSON, strings.Replace(pong, `"N"`, `1`, 1)), "/nombre"},
		"a field's null":          {answer("POST", ping, 200, isJSON, strings.Replace(pong, `"N"`, `null`, 1)), "/nombre"},
		"an instant":              {answer("POST", ping, 200, isJSON, strings.Replace(pong, `06T18`, `06 18`, 1)), "/fecha"},
		"an element":              {answer("GET", "/cliente/casos", 200, isJSON, "["+caso+"]", "ETag", "x"), "body"},
		"an object for a list":    {answer("GET", "/cliente/casos", 200, isJSON, caso, "ETag", "x"), "body"},
		"not JSON":                {answer("POST", ping, 200, isJSON, `{`), "not JSON"},
		"a body with 304":         {answer("GET", "/cliente/casos", 304, "", "x", "ETag", "x"), "body"},
		"an invented codigo":      {answer("POST", ping, 401, isProblem, codigo(problem, "otro"), "WWW-Authenticate", "x"), "codigo"},
		"another status's codigo": {answer("POST", ping, 401, isProblem, codigo(problem, "sin_permiso"), "WWW-Authenticate", "x"), "sin_permiso is not documented here"},
		"the manual's form":       {answer("POST", ping, 403, isJSON, codigo(ofManual, "sin_permiso")), "Content-Type"},
		"an undocumented path":    {answer("GET", "/secreto", 200, isJSON, `{}`), "path is not documented"},
		"an undocumented method":  {answer("PUT", ping, 200, isJSON, pong), "method is not documented"},
		"a final slash":           {answer("POST", ping+"/", 200, isJSON, pong), "path is not documented"},
		"an escaped letter":       {answer("GET", "/cliente/c%61sos", 200, isJSON, `[]`, "ETag", "x"), "path is not documented"},
		"an unknown path's page":  {answer("GET", "/nada", 404, "text/html", "x"), "Content-Type"},
		"an unknown path's form":  {answer("GET", "/nada", 404, isProblem, `{}`), "body"},
		"the manual's 405":        {answer("GET", "/login", 405, isProblem, codigo(problem, "metodo_no_permitido"), "Allow", "POST"), "Content-Type"},
	} {
		err := doc.Check(tt.answer)
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %v, want something about %q", name, err, tt.says)
		}
	}
}

// A document is refused that says another address, or whose examples are not what is
// answered: closed for an answer, though the document is open for fields to come.
func TestParse_refuses(t *testing.T) {
	served := string(text(t))
	for name, changed := range map[string]string{
		"another address":            strings.Replace(served, `"url": "`+address+`"`, `"url": "https://otra.example.mx"`, 1),
		"no JSON":                    "<html>",
		"a field too many in a 200":  strings.Replace(served, `"mensaje": "pong",`, `"mensaje": "pong", "otro": 1,`, 1),
		"a field too few in a 200":   strings.Replace(served, `"mensaje": "pong",`, ``, 1),
		"an example of no type":      strings.Replace(served, `"fecha_evento": "2025-05-06"`, `"fecha_evento": "ayer"`, 1),
		"a reference that leads off": strings.Replace(served, `"#/components/schemas/Caso"`, `"#/components/schemas/Otro"`, 1),
	} {
		if changed == served {
			t.Errorf("%s: nothing was changed", name)
		}
		_, err := document.Parse([]byte(changed), address)
		if err == nil {
			t.Errorf("%s is not refused", name)
		}
	}
}

func TestSeen_Missing(t *testing.T) {
	doc := parse(t)
	var seen document.Seen
	before := seen.Missing(doc)
	for _, fact := range []string{
		"POST /cliente/sandbox/ping answers 200", "GET /cliente/casos 200 has ETag", "PingResultado.fecha has a value",
		"Caso.cerrado_en is null", "Caso.cerrado_en has a value", "ErrorDeCampo.byte has a value",
	} {
		if !slices.Contains(before, fact) {
			t.Errorf("nothing has occurred, and %q is not missing", fact)
		}
	}
	seen.Note(doc, answer("POST", "/cliente/sandbox/ping", 200, isJSON, pong))
	seen.Note(doc, answer("GET", "/cliente/casos", 200, isJSON, "["+caso+"]", "ETag", "x"))
	seen.Note(doc, answer("GET", "/nada", 404, isProblem, problem))
	missing := seen.Missing(doc)
	for _, fact := range before {
		occurred := !slices.Contains(missing, fact)
		want := slices.Contains([]string{
			"POST /cliente/sandbox/ping answers 200", "POST /cliente/sandbox/ping 200 has X-Request-ID",
			"GET /cliente/casos answers 200", "GET /cliente/casos 200 has ETag", "GET /cliente/casos 200 has X-Request-ID",
		}, fact) || strings.HasPrefix(fact, "PingResultado.") || fact == "Caso.cerrado_en is null" || fact == "Caso.id has a value"
		if occurred != want {
			t.Errorf("%q occurred: %v, want %v", fact, occurred, want)
		}
	}
}
