package cli

import (
	"errors"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/enlace-iis/enlace/services/internal/auth"
)

func wantStatus(t *testing.T, err error, status int, text string) {
	t.Helper()
	asks, own := errors.AsType[interface {
		error
		ExitCode() int
	}](err)
	if !own || asks.ExitCode() != status || !strings.Contains(err.Error(), text) {
		t.Errorf("error = %v, want status %d and %q", err, status, text)
	}
}

func TestSesion(t *testing.T) {
	settings(t)
	info, err := os.Stat(os.Getenv("SESSION_FILE"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the session is %v, %v", info.Mode(), err)
	}
	shown := mustRun(t, "", "sesion", "mostrar")
	wantKeys(t, shown, "usuario", "destino", "vence_en")
	until, err := time.Parse(time.RFC3339, shown["vence_en"].(string))
	if err != nil || shown["usuario"] != operadora || time.Until(until) > time.Hour || time.Until(until) < 50*time.Minute {
		t.Errorf("shown %v, %v", shown, err)
	}
	if closed := mustRun(t, "", "sesion", "cerrar"); closed["cerrada"] != true {
		t.Errorf("closed %v", closed)
	}
	if again := mustRun(t, "", "sesion", "cerrar"); again["cerrada"] != false {
		t.Errorf("closed again %v", again)
	}
	for _, args := range [][]string{{"sesion", "mostrar"}, {"api-keys", "listar", "--id-empresa", empresa}} {
		_, err = run(t, "", args...)
		wantStatus(t, err, 3, "No hay sesión; ábrala con integracion sesion abrir.")
	}
}

// The token of a session that is closed serves nobody else, and one that cannot be told is forgotten here.
func TestSesion_cerrarVoidsTheToken(t *testing.T) {
	servicio := settings(t)
	file := os.Getenv("SESSION_FILE")
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, "", "sesion", "cerrar")
	again := func() {
		t.Helper()
		if err := os.WriteFile(file, kept, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again()
	_, err = run(t, "", "api-keys", "listar", "--id-empresa", empresa)
	wantStatus(t, err, 3, "La sesión ya no sirve; ábrala otra vez")
	if closed := mustRun(t, "", "sesion", "cerrar"); closed["cerrada"] != true {
		t.Errorf("closed one that is void: got %v", closed)
	}
	again()
	servicio.Stop()
	_, err = run(t, "", "sesion", "cerrar")
	wantStatus(t, err, 4, "La sesión se olvidó en esta máquina, pero integracion no lo supo")
	_, err = run(t, "", "sesion", "mostrar")
	wantStatus(t, err, 3, "No hay sesión")
}

// Without a terminal there is nobody to ask for the clave again.
func TestSesion_tooOldForWhatAsksForARecentOne(t *testing.T) {
	servicio := settings(t)
	old := sesion{
		Usuario: operadora, Destino: servicio.Target, VenceEn: time.Now().Add(time.Hour), Token: token(servicio.OldToken(operadora, auth.MaxRecent+time.Minute)),
	}
	err := (&Config{SessionFile: os.Getenv("SESSION_FILE")}).writeSesion(old)
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, "", "empresas", "listar")
	for _, args := range [][]string{
		{"usuarios", "crear", "--usuario", "otra"}, {"usuarios", "cambiar-clave", "--usuario", operadora}, {"sesion", "inscribir"},
	} {
		_, err = run(t, "", args...)
		if args[0] == "sesion" {
			wantStatus(t, err, 3, "")
			continue
		}
		wantStatus(t, err, 3, "Esta orden pide una sesión de hace cinco minutos o menos; ábrala otra vez")
	}
}

func TestSesion_secondFactor(t *testing.T) {
	servicio := settings(t)
	clave := servicio.CreateUsuario("operadora-2")
	address, err := url.Parse(servicio.ActivateTOTP("operadora-2"))
	if err != nil {
		t.Fatal(err)
	}
	code, err := totp.GenerateCode(address.Query().Get("secret"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	_, err = run(t, clave, "sesion", "abrir", "--usuario", "operadora-2", "--clave-stdin")
	wantStatus(t, err, 3, "")
	opened := mustRun(t, clave+"\n"+code+"\n", "sesion", "abrir", "--usuario", "operadora-2", "--clave-stdin")
	if opened["usuario"] != "operadora-2" {
		t.Errorf("opened %v", opened)
	}
}

func TestSesion_refuses(t *testing.T) {
	servicio := settings(t)
	_, err := run(t, "una clave equivocada", "sesion", "abrir", "--usuario", operadora, "--clave-stdin")
	wantStatus(t, err, 3, "El usuario, la clave o el código no es correcto.")
	_, err = run(t, "", "sesion", "abrir", "--usuario", operadora, "--clave-stdin")
	wantStatus(t, err, 2, "La entrada estándar está vacía")
	_, err = run(t, "clave", "sesion", "abrir", "--clave-stdin")
	wantStatus(t, err, 2, "Falta --usuario")
	_, err = run(t, "", "sesion", "abrir", "--usuario", operadora)
	wantStatus(t, err, 2, "No hay una terminal para preguntar")
	mustRun(t, "", "sesion", "mostrar") // the good one is still there

	servicio.RevokeTokens(operadora)
	_, err = run(t, "", "api-keys", "listar", "--id-empresa", empresa)
	wantStatus(t, err, 3, "La sesión ya no sirve; ábrala otra vez")

	file := os.Getenv("SESSION_FILE")
	err = os.Chmod(file, 0o640)
	if err != nil {
		t.Fatal(err)
	}
	_, err = run(t, "", "sesion", "mostrar")
	wantStatus(t, err, 3, "Otros pueden leer la sesión")
	err = errors.Join(os.Chmod(file, 0o600), os.WriteFile(file, []byte(`{"vence_en":"2020-01-01T00:00:00Z"}`), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	_, err = run(t, "", "sesion", "mostrar")
	wantStatus(t, err, 3, "La sesión venció")
}

func TestSesion_serviceAway(t *testing.T) {
	servicio := settings(t)
	servicio.Stop()
	_, err := run(t, "", "api-keys", "listar", "--id-empresa", empresa)
	wantStatus(t, err, 4, "integracion no contesta en "+servicio.Target+"; sin ella sirven")
	_, err = run(t, "una clave", "sesion", "abrir", "--usuario", operadora, "--clave-stdin", "--destino", "passthrough:///127.0.0.1:1")
	wantStatus(t, err, 4, "integracion no contesta en passthrough:///127.0.0.1:1;")
}
