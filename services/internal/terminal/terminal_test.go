package terminal

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// answer is what the command under test prints, or refuses.
type answer struct {
	value any
	err   error
}

// run does a command of a small program, and gives what it printed.
func run(t *testing.T, a answer, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	console := &Terminal{In: strings.NewReader(""), Out: &out, Err: &out}
	root := Program{Name: "programa", About: "Hace algo"}.Command()
	group := &cobra.Command{Use: "casas", Short: "Las casas"}
	estado := Option{Allowed: []string{"nueva", "vieja"}}
	build := &cobra.Command{Use: "crear", Short: "Hace una casa", Example: "programa casas crear --nombre Sol"}
	build.Flags().String("nombre", "", "`nombre` de la casa")
	build.Flags().Int("pisos", 1, "cuántos pisos")
	build.Flags().Bool("simular", false, "no la hace")
	estado.Declare(build.Flags(), "estado", "cómo está")
	Require(build, "nombre")
	build.RunE = func(*cobra.Command, []string) error {
		if a.err != nil {
			return a.err
		}
		return console.Show(a.value)
	}
	group.AddCommand(build)
	root.AddCommand(group)
	err := Run(t.Context(), root, console, args)
	return out.String(), err
}

func TestRun_refusesInSpanish(t *testing.T) {
	for line, want := range map[string]string{
		"casa":                          `programa no tiene el comando "casa"; ¿quiso decir casas?`,
		"arboles":                       `programa no tiene el comando "arboles"; use casas, completado, distribuir, health, migrate, reunir o serve.`,
		"casas":                         "Falta decir qué de casas: crear.",
		"casas crea --nombre Sol":       `casas no tiene el comando "crea"; ¿quiso decir crear?`,
		"casas crear":                   "Falta --nombre; vea programa casas crear --help.",
		"casas crear --nombre=":         "Falta --nombre; vea programa casas crear --help.",
		"casas crear Sol":               "casas crear no admite más palabras: todo se da con opciones; vea programa casas crear --help.",
		"casas crear --color rojo":      "casas crear no tiene la opción --color; tiene --estado, --help, --nombre, --pisos, --salida y --simular.",
		"casas crear --estad nueva":     "casas crear no tiene la opción --estad; ¿quiso decir --estado?",
		"casas crear -c":                "casas crear no tiene la opción -c; tiene --estado, --help, --nombre, --pisos, --salida y --simular.",
		"casas crear --nombre":          "Falta el valor de --nombre.",
		"casas crear --=":               `"--=" no es una opción; vea programa casas crear --help.`,
		"casas crear --estado rota":     `--estado no admite "rota": use nueva o vieja.`,
		"casas crear --pisos dos":       `--pisos no admite "dos": use un número entero.`,
		"casas crear --simular=quiza":   `--simular no admite "quiza": use true o false, o nada.`,
		"--salida xml":                  `--salida no admite "xml": use tabla o json.`,
		"ayuda casas crea":              `casas no tiene el comando "crea"; ¿quiso decir crear?`,
		"completado":                    "Falta --shell; vea programa completado --help.",
		"completado --shell cmd":        `--shell no admite "cmd": use bash, fish, powershell o zsh.`,
		"casas crear --nombre Sol --ab": "casas crear no tiene la opción --ab; tiene --estado, --help, --nombre, --pisos, --salida y --simular.",
	} {
		t.Run(line, func(t *testing.T) {
			printed, err := run(t, answer{}, strings.Fields(line)...)
			if err == nil || err.Error() != want || printed != "" {
				t.Errorf("error = %v, printed %q\nwant %s", err, printed, want)
			}
			if code := codeOf(err); code != 2 {
				t.Errorf("status %d, want 2", code)
			}
		})
	}
}

func codeOf(err error) int {
	asks, own := errors.AsType[interface {
		error
		ExitCode() int
	}](err)
	if !own {
		return 1
	}
	return asks.ExitCode()
}

func TestRun_statusByKind(t *testing.T) {
	foreseen := map[string]struct {
		err  error
		code int
		text string
	}{
		"a wrong value": {errs.New(errores.Validacion, "No es un RFC."), 2, "No es un RFC."},
		"with places":   {errs.New(errores.Validacion, "Hay errores.").WithFields(errs.Campo("/a", "b", "Falta a.")), 2, "Hay errores. Falta a."},
		"a refusal":     {errs.New(errores.Conflicto, "Ya existe."), 3, "Ya existe."},
		"not there":     {errs.New(errores.NoEncontrado, "No existe."), 3, "No existe."},
		"too many":      {errs.New(errores.DemasiadasSolicitudes, "Demasiados intentos.").After(30 * time.Second), 3, "Demasiados intentos. Espere 30 s."},
		"away":          {errs.New(errores.NoDisponible, "No contesta."), 4, "No contesta."},
		"told away":     {Away(context.DeadlineExceeded, "registros no contesta; lo demás sirve."), 4, "registros no contesta; lo demás sirve."},
		"too late":      {errs.New(errores.TiempoAgotado, "Se agotó el tiempo."), 4, "Se agotó el tiempo."},
		"a fault":       {errs.New(errores.Interno, "Falla interna."), 1, "Falla interna."},
		"unforeseen":    {errors.New("out of paper"), 1, "out of paper"},
	}
	for name, tt := range foreseen {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, answer{err: tt.err}, "casas", "crear", "--nombre", "Sol")
			if err == nil || err.Error() != tt.text || codeOf(err) != tt.code {
				t.Errorf("error = %v with %d, want %s with %d", err, codeOf(err), tt.text, tt.code)
			}
		})
	}
}

func TestRun_helps(t *testing.T) {
	for _, args := range [][]string{{"casas", "crear", "--help"}, {"casas", "crear", "-h"}, {"ayuda", "casas", "crear"}, {"help", "casas", "crear"}} {
		printed, err := run(t, answer{}, args...)
		if err != nil {
			t.Fatal(err)
		}
		want := `Hace una casa.

Uso:
  programa casas crear --nombre nombre [opciones]

Ejemplos:
  programa casas crear --nombre Sol

Opciones:
  --estado nueva|vieja  cómo está
  --nombre nombre       nombre de la casa (obligatoria)
  --pisos int           cuántos pisos
  --simular             no la hace

Opciones de todos los comandos:
  --help               muestra esta ayuda
  --salida tabla|json  cómo se imprime la respuesta; sin él, tabla en una terminal y json en lo demás
`
		if printed != want {
			t.Errorf("%v printed\n%s", args, printed)
		}
	}
}

func TestRun_completes(t *testing.T) {
	for line, want := range map[string]string{
		"casas ":                "crear",
		"casas crear --estado ": "nueva\nvieja",
		"--salida ":             "tabla\njson",
	} {
		printed, err := run(t, answer{}, append([]string{"__complete"}, strings.Split(line, " ")...)...)
		if err != nil || !strings.HasPrefix(printed, want) {
			t.Errorf("%q completes to %q, %v", line, printed, err)
		}
	}
	printed, err := run(t, answer{}, "completado", "--shell", "bash")
	if err != nil || !strings.Contains(printed, "__programa_debug") {
		t.Errorf("completion = %.80q, %v", printed, err)
	}
}

type casa struct {
	Nombre   string  `json:"nombre"`
	Estado   string  `json:"estado"`
	HechaEn  string  `json:"hecha_en"`
	DejadaEn *string `json:"dejada_en"`
	Propia   bool    `json:"propia"`
	Pisos    []piso  `json:"pisos"`
}

type piso struct {
	Numero int      `json:"numero"`
	Luces  []string `json:"luces"`
}

var sol = casa{
	Nombre: "Sol & <Luna>\x1b[2J", Estado: "activa", HechaEn: "2026-01-02T03:04:05.678Z", Propia: true,
	Pisos: []piso{{1, []string{"roja", "verde"}}, {20, nil}},
}

func TestShow(t *testing.T) {
	args := []string{"casas", "crear", "--nombre", "Sol"}
	printed, err := run(t, answer{value: sol}, args...)
	want := `{"nombre":"Sol & <Luna>\u001b[2J","estado":"activa","hecha_en":"2026-01-02T03:04:05.678Z","dejada_en":null,"propia":true,` +
		`"pisos":[{"numero":1,"luces":["roja","verde"]},{"numero":20,"luces":null}]}` + "\n"
	if err != nil || printed != want {
		t.Errorf("in a pipe: %v\n%s", err, printed)
	}
	printed, err = run(t, answer{value: sol}, append(args, "--salida", "tabla")...)
	want = `nombre     Sol & <Luna>·[2J
estado     activa
hecha en   2026-01-01 21:04:05
dejada en  —
propia     sí

pisos
  NUMERO  LUCES
  1       roja, verde
  20      —
`
	if err != nil || printed != want {
		t.Errorf("for people: %v\n%s", err, printed)
	}
}

func TestReadLine(t *testing.T) {
	console := &Terminal{In: strings.NewReader("una\r\ndos"), Err: &bytes.Buffer{}}
	for _, want := range []string{"una", "dos"} {
		got, err := console.AskSecret("? ")
		if err != nil || got != want {
			t.Errorf("read %q, %v, want %q", got, err, want)
		}
	}
	_, err := console.ReadLine()
	if codeOf(err) != 2 || err.Error() != "La entrada estándar está vacía." {
		t.Errorf("at the end: %v", err)
	}
	long := &Terminal{In: strings.NewReader(strings.Repeat("x", maxLine+1))}
	_, err = long.ReadLine()
	if codeOf(err) != 2 {
		t.Errorf("a long line: %v", err)
	}
}

func TestProgress_line(t *testing.T) {
	p := &Progress{title: "Exporta"}
	if got := p.line(90 * time.Second); got != "Exporta 90 s" {
		t.Errorf("without a total: %q", got)
	}
	p.Set(1, 3)
	if got := p.line(time.Second); got != "Exporta ██████████░░░░░░░░░░░░░░░░░░░░  33 %  1 de 3" {
		t.Errorf("with one: %q", got)
	}
}

func TestShowQR(t *testing.T) {
	var out bytes.Buffer
	err := (&Terminal{Err: &out}).ShowQR("otpauth://totp/Enlace:operadora?secret=ABCDEFGHIJKLMNOP")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if err != nil || len(lines) < 15 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for i, line := range lines {
		if length(line) != length(lines[0]) || strings.TrimSpace(line) == "" {
			t.Errorf("line %d is %d wide, the first %d", i, length(line), length(lines[0]))
		}
	}
	if !strings.Contains(lines[0], strings.Repeat("█", 20)) {
		t.Error("the code has no margin above it")
	}
}
