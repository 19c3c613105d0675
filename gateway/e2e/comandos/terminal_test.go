//go:build linux

package comandos

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

// dialogo is a command at a terminal, and what stands on it.
type dialogo struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	mu   sync.Mutex
	text strings.Builder
	end  chan struct{}
}

// begin starts a command at a terminal.
func (c *consola) begin(t *testing.T, args ...string) *dialogo {
	t.Helper()
	return start(t, c.command(t, args...))
}

// start starts it with what it has not been given of a terminal.
func start(t *testing.T, cmd *exec.Cmd) *dialogo {
	t.Helper()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	d := &dialogo{t: t, cmd: cmd, tty: tty, end: make(chan struct{})}
	go d.read()
	t.Cleanup(func() { _ = tty.Close() })
	return d
}

func (d *dialogo) read() {
	defer close(d.end)
	chunk := make([]byte, 4096)
	for {
		n, err := d.tty.Read(chunk)
		d.mu.Lock()
		d.text.Write(chunk[:n])
		d.mu.Unlock()
		if err != nil {
			return // the command has ended
		}
	}
}

func (d *dialogo) shown() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.ReplaceAll(d.text.String(), "\r\n", "\n")
}

// await waits until something stands on the terminal.
func (d *dialogo) await(text string) {
	d.t.Helper()
	harness.Eventually(d.t, "that the terminal shows "+text, func() bool { return strings.Contains(d.shown(), text) })
}

// awaitHidden waits until the terminal shows nothing of what is typed.
func (d *dialogo) awaitHidden() {
	d.t.Helper()
	harness.Eventually(d.t, "that the terminal hides what is typed", func() bool {
		state, err := unix.IoctlGetTermios(int(d.tty.Fd()), unix.TCGETS)
		return err == nil && state.Lflag&unix.ECHO == 0
	})
}

func (d *dialogo) line(text string) {
	d.t.Helper()
	_, err := d.tty.WriteString(text + "\n")
	if err != nil {
		d.t.Fatal(err)
	}
}

// finish waits for the end of the command, which must be a good one, and gives what it showed.
func (d *dialogo) finish() string {
	d.t.Helper()
	<-d.end
	err := d.cmd.Wait()
	if err != nil {
		d.t.Fatalf("%v\n%s", err, d.shown())
	}
	return d.shown()
}

// logIn opens a session as a person does.
func (c *consola) logIn(t *testing.T) string {
	t.Helper()
	d := c.begin(t, "sesion", "abrir")
	d.await("Usuario: ")
	d.line(c.usuario)
	d.await("Clave: ")
	d.awaitHidden()
	d.line(c.clave)
	d.await("Código del segundo factor")
	d.awaitHidden()
	d.line("")
	return d.finish()
}

func wantText(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, each := range want {
		if !strings.Contains(text, each) {
			t.Errorf("%q is missing in\n%s", each, text)
		}
	}
}

func TestTerminal_sessionAsAPerson(t *testing.T) {
	c := newConsola(t)
	shown := c.logIn(t)
	wantText(t, shown, "Sesión de "+c.usuario+" abierta hasta 20")
	if strings.Contains(shown, c.clave) {
		t.Error("the terminal showed the clave")
	}
	info, err := os.Stat(filepath.Join(c.home, ".config/enlace/sesion.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the session is kept as %v, %v", info, err)
	}
	wantText(t, c.begin(t, "sesion", "mostrar").finish(), c.usuario, "vence en")
	wantText(t, c.begin(t, "sesion", "cerrar").finish(), "La sesión está cerrada.")
	after := c.pipe(t, "", "empresas", "listar")
	if after.status != 3 {
		t.Errorf("after the end: %+v", after)
	}
}

// What asks for a recent login asks the operator for clave and code again, and is done then; the
// session goes on with the new token, and the one from before is void.
func TestTerminal_asksAgainWhereTheSessionIsOld(t *testing.T) {
	c := newConsola(t)
	c.logIn(t)
	path := filepath.Join(c.home, ".config/enlace/sesion.json")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	old := map[string]any{}
	err = json.Unmarshal(content, &old)
	if err != nil {
		t.Fatal(err)
	}
	old["token"] = system.SignToken(t, c.usuario, 6*time.Minute)
	kept := harness.Encode(t, old)
	err = os.WriteFile(path, kept, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	c.begin(t, "empresas", "listar").finish() // asks for no recent login
	d := c.begin(t, "usuarios", "crear", "--usuario", "de-la-terminal")
	d.await("muestre otra vez su clave y su código.")
	d.await("Clave: ")
	d.awaitHidden()
	d.line(c.clave)
	d.await("Código del segundo factor")
	d.awaitHidden()
	d.line("")
	wantText(t, d.finish(), "de-la-terminal", "los secretos no se vuelven a mostrar")
	wantText(t, c.begin(t, "usuarios", "revocar-tokens", "--usuario", "de-la-terminal").finish(), "activo")

	err = os.WriteFile(path, kept, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	after := c.pipe(t, "", "empresas", "listar")
	if after.status != 3 {
		t.Errorf("with the token from before: got %+v, want status 3", after)
	}
}

func TestTerminal_joinsAnInstitution(t *testing.T) {
	c := newConsola(t)
	c.logIn(t)
	const id = "TER010101AB1"
	wantText(t, c.begin(t, "empresas", "crear", "--id", id, "--nombre", "Laboratorio de la terminal").finish(),
		"URL base  "+system.Addresses().BaseURL+"/i/"+id, "usuario   PUI", "Qué sigue", "integracion claves salida --id-empresa "+id)

	salida := c.begin(t, "claves", "salida", "--id-empresa", id, "--url", system.Addresses().SimuladorURL)
	salida.await("Clave de la institución en la plataforma: ")
	salida.awaitHidden()
	salida.line("una-clave-de-salida")
	shown := salida.finish()
	wantText(t, shown, "✓ hay dirección y clave para entrar a la plataforma", "○ hay una llave (api-keys emitir)")
	if strings.Contains(shown, "una-clave-de-salida") {
		t.Error("the terminal showed the clave")
	}
	wantText(t, c.begin(t, "api-keys", "emitir", "--id-empresa", id, "--nombre", "producción", "--ambitos", "cliente").finish(),
		"los secretos no se vuelven a mostrar", "iis_development_")
	wantText(t, c.begin(t, "empresas", "mostrar", "--id-empresa", id).finish(), "✓ hay una llave", "○ la institución usó una llave")
	wantText(t, c.begin(t, "empresas", "listar").finish(), "ID EMPRESA", id+"  Laboratorio de la terminal", "\x1b[32mactiva\x1b[0m")
}

// Who waits for an export that takes longer than a second sees how far it is, also while the file
// goes elsewhere. Nobody reads the file until that stands there.
func TestTerminal_evidenceShowsHowFarItIs(t *testing.T) {
	c := newConsola(t)
	c.logIn(t)
	i := system.NewInstitucion(t)
	leaveAsientos(t, i, 600)
	file, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := c.command(t, "evidencia", "exportar", "--id-empresa", i.ID)
	cmd.Stdout = out
	d := start(t, cmd)
	err = out.Close()
	if err != nil {
		t.Fatal(err)
	}
	d.await("Exporta ")
	d.await("░")
	d.await(" de ")
	content, err := io.ReadAll(file)
	if lines := bytes.Count(content, []byte("\n")); err != nil || lines < 600 {
		t.Errorf("the file has %d lines, %v", lines, err)
	}
	if shown := d.finish(); !strings.HasSuffix(shown, "\r\x1b[K") {
		t.Errorf("the terminal still shows %q", shown[strings.LastIndexByte(shown, '\r'):])
	}
}

// leaveAsientos asks so often for what an institution keeps of a person; each leaves a line.
func leaveAsientos(t *testing.T, i *harness.Institucion, many int) {
	t.Helper()
	client := integracionv1.NewSeguimientoServiceClient(system.Operador(t))
	for range many {
		stream, err := client.FindRegistros(t.Context(), &integracionv1.FindRegistrosRequest{IdEmpresa: i.ID, Folio: "A-1"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = stream.Recv()
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
}

func TestTerminal_evidence(t *testing.T) {
	c := newConsola(t)
	c.logIn(t)
	const id = "TEV010101AB1"
	c.begin(t, "empresas", "crear", "--id", id, "--nombre", "Laboratorio de la evidencia").finish()
	wantText(t, c.begin(t, "bitacora", "listar", "--id-empresa", id).finish(), "OCURRIDO EN", "empresa_creada", c.usuario)
	path := filepath.Join(t.TempDir(), "evidencia.csv")
	wantText(t, c.begin(t, "evidencia", "exportar", "--id-empresa", id, "--formato", "csv", "--archivo", path).finish(),
		path+" tiene 3 líneas.", "integracion evidencia verificar "+path)
	wantText(t, c.begin(t, "evidencia", "verificar", path).finish(), "Está entera: los asientos 1 a 3 de "+id, "La firmó la llave ")
}

// A person is asked before what cannot be undone.
func TestTerminal_erasesWhatAPersonAskedFor(t *testing.T) {
	c := newConsola(t)
	c.logIn(t)
	i := system.NewInstitucion(t)
	send(t, i, harness.Registro("BOR-1", harness.CurpDos, "2024-06-01"))
	begin := func() *dialogo {
		d := c.begin(t, "registros", "borrar", "--id-empresa", i.ID)
		d.await("CURP: ")
		d.line(harness.CurpDos)
		d.await("Se borrarán 1 registros, y lo que notificaron 0 coincidencias. No se puede deshacer. Escriba borrar: ")
		return d
	}
	refused := begin()
	refused.line("no")
	refused.await("No se borró nada.")
	done := begin()
	done.line("borrar")
	wantText(t, done.finish(), "registros      1")
}
