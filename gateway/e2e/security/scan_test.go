//go:build security

package security

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/document"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/gateway/e2e/security/evidence"
)

// dismissed are the kinds of findings that are none, and why. They are in the report, beside
// what was found.
var dismissed = map[string]string{
	"BREACH": "Exige que un tercero haga al navegador de la víctima repetir solicitudes con su credencial y vea el tamaño de las respuestas. " +
		"Aquí no hay cookies: la credencial va en un encabezado que ningún sitio ajeno puede enviar, y la página que se probó no contiene secretos.",
	"HTTP Secure Headers: X-XSS-Protection is not set": "Encabezado retirado: ningún navegador actual lo atiende y OWASP pide no usarlo, " +
		"porque introduce fallas en los antiguos. La política de contenido (CSP) hace su trabajo.",
}

// The certificate is each institution's own, and so are its authority and its DNS: they are looked at
// where they are.
func TestTestssl(t *testing.T) {
	result := begin(evidence.Result{
		Kind: "DAST", Tool: "testssl.sh", Version: version(t, `testssl\S* +(\d\S*)`, "testssl", "--version"), Raw: "testssl.json",
		Scope: "TLS del puerto público, sin el certificado, que es de cada institución", Method: "protocolos, cifrados, encabezados y vulnerabilidades conocidas",
	})
	args := []string{
		"--quiet", "--color", "0", "--warnings", "batch", "--protocols", "--std", "--fs", "--server-preference", "--headers", "--vulnerable",
		"--jsonfile", filepath.Join(folder, "testssl.json"),
	}
	if target != "" {
		result.Scope = "TLS del puerto público y su certificado"
		args = append(args, "--server-defaults")
	}
	keep(t, "testssl.txt", tool(t, folder, "testssl", append(args, report.Address)...))
	findings, err := evidence.Testssl(read(t, "testssl.json"))
	if err != nil {
		t.Fatal(err)
	}
	end(t, result, findings)
}

// wapitiModules are all but those that ask others: a database of signatures, a server that waits
// for calls, a form to log in with.
const wapitiModules = "common,backup,buster,crlf,htaccess,methods,shellshock,xxe,-ssrf"

func TestWapiti(t *testing.T) {
	result := begin(evidence.Result{
		Kind: "DAST", Tool: "wapiti", Version: version(t, `Wapiti (\d\S*)`, "wapiti", "--version"), Raw: "wapiti.json",
		Scope: "las rutas GET de /openapi.json, con la llave de una institución", Method: "caja gris: exploración e inyección, módulos " + wapitiModules,
	})
	args := []string{
		"--url", report.Address + "/", "--flush-session", "--no-bugreport", "--verify-ssl", "0", "--module", wapitiModules,
		"--max-scan-time", "60", "--max-attack-time", "15", "--format", "json", "--output", filepath.Join(folder, "wapiti.json"),
	}
	if target == "" {
		args = append(args, "--scope", "domain", "--header", "X-API-Key: "+known(t).ApiKey)
	} else {
		// What else stands on that host is somebody else's.
		result.Scope, result.Method = "lo que está bajo la URL base", "caja negra: exploración e inyección, módulos "+wapitiModules
		args = append(args, "--scope", "folder")
	}
	for _, operation := range operations {
		if operation.Method == http.MethodGet {
			args = append(args, "--start", report.Address+fill(t, operation.Path, ""))
		}
	}
	keep(t, "wapiti.txt", tool(t, folder, "wapiti", args...))
	findings, err := evidence.Wapiti(read(t, "wapiti.json"))
	if err != nil {
		t.Fatal(err)
	}
	end(t, result, findings)
}

// Every route of the live document that takes a body or has a variable in its path.
func TestSqlmap(t *testing.T) {
	result := begin(evidence.Result{
		Kind: "DAST", Tool: "sqlmap", Version: version(t, `(\d\S*)#`, "sqlmap", "--version"), Raw: "sqlmap.txt",
		Scope:  "cada campo y cada segmento variable de las rutas de /openapi.json, con la credencial de cada una",
		Method: "inyección de SQL: booleana, por errores, UNION y consultas apiladas (nivel 1, riesgo 1, PostgreSQL)",
	})
	if target != "" {
		result.Scope = "cada campo de las rutas que la plataforma llama, " + credentialOfTarget(t) + "; con identificadores que se rechazan, para no abrir ni cerrar reportes"
	}
	var log strings.Builder
	var findings []evidence.Finding
	for _, operation := range operations {
		if !operation.TakesBody && !strings.Contains(operation.Path, "{") {
			continue
		}
		route := operation.Method + " " + operation.Path
		output := sqlmap(t, operation)
		fmt.Fprintf(&log, "### %s\n%s\n", route, output)
		keep(t, "sqlmap.txt", []byte(log.String()))
		found, err := evidence.Sqlmap(route, output)
		if err != nil {
			t.Error(err)
		}
		findings = append(findings, found...)
	}
	if !t.Failed() {
		end(t, result, findings)
	}
}

func sqlmap(t *testing.T, operation document.Operation) []byte {
	t.Helper()
	args := []string{
		"--batch", "--disable-coloring", "--flush-session", "--output-dir", t.TempDir(), "--dbms", "PostgreSQL", "--technique", "BEUS",
		"--level", "1", "--risk", "1", "--threads", threads(), "--method", operation.Method,
		// The refusals of wrong contents are what the tries are told apart by.
		"--ignore-code", "*", "--header", "Content-Type: application/json", "--header", header(t, operation),
	}
	marker := ""
	if operation.TakesBody {
		body, err := json.Marshal(example(operation))
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, "--data", string(body))
	} else {
		marker = "*"
	}
	return tool(t, folder, "sqlmap", append(args, "--url", report.Address+fill(t, operation.Path, marker))...)
}

// threads are few where others are served too.
func threads() string {
	if target != "" {
		return "1"
	}
	return "4"
}

// example is a body that the document shows: the first by name. Towards a target the id of a report is
// one that no system takes.
func example(operation document.Operation) any {
	var names []string
	for name := range operation.Requests {
		names = append(names, name)
	}
	if len(names) == 0 {
		return map[string]any{}
	}
	body := operation.Requests[slices.Min(names)]
	fields, isObject := body.(map[string]any)
	if target != "" && isObject && fields["id"] != nil {
		fields["id"] = "no-es-un-reporte"
	}
	return body
}

// fill gives the variables of a path a value of the institution's, and marks each for sqlmap.
func fill(t *testing.T, path, marker string) string {
	t.Helper()
	if target != "" {
		return path // which has no variables
	}
	values := map[string]string{"{id_empresa}": known(t).ID, "{codigo}": "validacion"}
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if !strings.HasPrefix(segment, "{") {
			continue
		}
		value, found := values[segment]
		if !found {
			value = "1"
		}
		segments[i] = value + marker
	}
	return strings.Join(segments, "/")
}

// header is the credential that a route asks for: the institution's key, its platform's token, or
// an operator's for what only operators do.
func header(t *testing.T, operation document.Operation) string {
	t.Helper()
	if operation.Credential == "" || target != "" && os.Getenv("CLAVE") == "" {
		return "Accept: application/json"
	}
	if target != "" {
		return "Authorization: Bearer " + targetToken(t)
	}
	who := known(t)
	switch {
	case operation.Credential == "ApiKey":
		return "X-API-Key: " + who.ApiKey
	case strings.HasSuffix(operation.Path, "-reporte") || strings.HasSuffix(operation.Path, "-reporte-prueba"):
		return "Authorization: Bearer " + who.pui
	default:
		return "Authorization: Bearer " + who.operador
	}
}

// credentialOfTarget says with which credential a target is asked.
func credentialOfTarget(t *testing.T) string {
	t.Helper()
	if os.Getenv("CLAVE") == "" {
		return "sin credencial"
	}
	targetToken(t)
	return "con el token de la plataforma"
}

var theTargetToken string

// targetToken logs in at the target when the token is first wanted, before the scanners make wrong
// logins of their own.
func targetToken(t *testing.T) string {
	t.Helper()
	if theTargetToken == "" {
		theTargetToken = login(t, "PUI", os.Getenv("CLAVE"))
	}
	return theTargetToken
}

// subject is on whose behalf the scanners ask.
type subject struct {
	*harness.Institucion
	pui, operador string
}

var theSubject *subject

// known makes the subject when it is first wanted. The tests run one after the other.
func known(t *testing.T) *subject {
	t.Helper()
	if theSubject == nil {
		i := system.NewInstitucion(t)
		var operador struct{ Clave string }
		system.Operate(t, "", &operador, "usuarios", "crear", "--usuario", "escaner")
		theSubject = &subject{Institucion: i, pui: login(t, "PUI", i.Clave), operador: login(t, "escaner", operador.Clave)}
	}
	return theSubject
}

func login(t *testing.T, usuario, clave string) string {
	t.Helper()
	var granted struct{ Token string }
	body := map[string]string{"usuario": usuario, "clave": clave}
	harness.Call(t, http.MethodPost, report.Address+"/login", nil, body).Want(t, http.StatusOK).Into(t, &granted)
	return granted.Token
}
