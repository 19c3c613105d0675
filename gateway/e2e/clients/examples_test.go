package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// An example is one of the programs that institutions start from.
type example struct {
	interpreter string // none: it has to be compiled, and is only read here
	path        string
	rows        int
	dialect     dialect
}

var examples = map[string]example{
	"python":     {"python3", "python/enlace.py", 2_000, dialect{comma: ';', ansi: true}},
	"javascript": {"node", "javascript/enlace.mjs", 5_000, dialect{comma: ',', before: "\ufeff"}},
	"php":        {"php", "php/enlace.php", 2_000, dialect{comma: '\t'}},
	"csharp":     {"", "csharp/Enlace.cs", 0, dialect{}},
}

// TestExamples lets every example whose language is on this machine do an institution's whole
// task: a file of thousands of rows as laboratories export them, over a line with faults. Node
// is there for the other tests too, so one at least is run.
func TestExamples(t *testing.T) {
	t.Parallel()
	for language, e := range examples {
		_, err := exec.LookPath(e.interpreter)
		if err != nil && e.interpreter != "node" {
			t.Logf("%s is not on this machine; its example is only read", language)
			continue
		}
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, e)
			x := newExport(e.rows)
			s.sends(t, x, e.dialect)
			s.follows(t, x)
			s.line.check(t)
		})
	}
}

// A session is one institution that runs an example.
type session struct {
	*harness.Institucion
	example example
	line    *faulty
	dir     string
}

func newSession(t *testing.T, e example) *session {
	t.Helper()
	i := system.NewInstitucion(t)
	return &session{Institucion: i, example: e, line: newFaulty(t, i.BaseURL), dir: t.TempDir()}
}

// run gives the lines that the example printed, split at tabs, its last word, and its exit code.
func (s *session) run(t *testing.T, args ...string) (lines [][]string, last string, code int) {
	t.Helper()
	program, err := filepath.Abs(filepath.Join("../../../proto/examples", s.example.path))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), s.example.interpreter, append([]string{program}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "BASE_URL="+s.line.URL+"/", "API_KEY="+s.ApiKey)
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 2) {
		t.Fatalf("%v: %v\n%s", args, err, told.String())
	}
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	words := strings.Split(strings.TrimSpace(told.String()), "\n")
	return lines, words[len(words)-1], cmd.ProcessState.ExitCode()
}

// sends holds that all rows go in but for those that are wrong in what is required, which
// are told by their number, and that neither a lost answer nor a second time does harm.
func (s *session) sends(t *testing.T, x *export, d dialect) {
	t.Helper()
	err := os.WriteFile(filepath.Join(s.dir, "registros.csv"), x.file(t, d), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	const size, omitted = 500, ", observaciones_omitidas 0"
	wrong, lost := len(x.wrong), size // of the second batch, whose answer was lost
	for row := range x.wrong {
		if row-2 >= size && row-2 < 2*size {
			lost--
		}
	}
	all, good := len(x.rows), len(x.rows)-wrong
	steps := []struct{ action, last string }{
		{"validar", fmt.Sprintf("total %d, validos %d, invalidos %d", all, good, wrong)},
		{"enviar", fmt.Sprintf("total %d, creados %d, actualizados 0, sin_cambios %d, coincidencias 0, rechazados %d", all, good-lost, lost, wrong)},
		{"enviar", fmt.Sprintf("total %d, creados 0, actualizados 0, sin_cambios %d, coincidencias 0, rechazados %d", all, good, wrong)},
	}
	for _, step := range steps {
		lines, last, code := s.run(t, step.action, "registros.csv")
		if last != step.last+omitted || code != 2 {
			t.Errorf("%s ended with %d and %q, want %q", step.action, code, last, step.last)
		}
		if diff := cmp.Diff(x.wrong, errorsOf(t, lines)); diff != "" {
			t.Errorf("%s told of wrong rows (-want +got):\n%s", step.action, diff)
		}
		t.Logf("%s: %d observations; %s", step.action, len(lines), last)
	}
}

// errorsOf gives the field with an error of each row.
func errorsOf(t *testing.T, lines [][]string) map[int]string {
	t.Helper()
	wrong := map[int]string{}
	for _, line := range lines {
		row, err := strconv.Atoi(line[0])
		if err != nil || len(line) != 5 || line[4] == "" {
			t.Fatalf("%q is not an observation (%v)", line, err)
		}
		if line[2] == "error" {
			wrong[row] = line[3]
		}
	}
	return wrong
}

// follows holds that the platform takes all that was found in those rows, that what is new or
// another in the lists is printed once, and that nothing is asked for twice.
func (s *session) follows(t *testing.T, x *export) {
	t.Helper()
	s.prints(t, map[string]int{})
	for n := range sought {
		s.Activate(t, map[string]any{"id": harness.ReporteID(n), "curp": personOf(n), "fecha_desaparicion": "2020-01-01"})
	}
	harness.Eventually(t, "the end of all searches", func() bool {
		casos := s.Casos(t)
		return len(casos) == sought && !slices.ContainsFunc(casos, func(c harness.Caso) bool { return c.FinalizadaEn == nil })
	})
	s.line.takeUnchanged()
	s.prints(t, map[string]int{"casos nuevo": sought, "coincidencias nuevo": s.told(t, x), "reportes nuevo": sought})
	s.prints(t, map[string]int{})
	if got := s.line.takeUnchanged(); !slices.Equal(got, []string{"casos", "coincidencias", "reportes"}) {
		t.Errorf("the lists %q had not changed, want all three", got)
	}
	s.Deactivate(t, harness.ReporteID(0))
	harness.Eventually(t, "the end of the case", func() bool {
		return slices.ContainsFunc(s.Casos(t), func(c harness.Caso) bool { return c.CerradoEn != nil })
	})
	s.prints(t, map[string]int{"casos cambió": 1, "reportes nuevo": 1})
}

// prints holds how much of which list the example prints as new or changed.
func (s *session) prints(t *testing.T, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	lines, _, _ := s.run(t, "seguir", "estado")
	for _, line := range lines {
		var row struct{ ID string }
		err := json.Unmarshal([]byte(line[len(line)-1]), &row)
		if err != nil || len(line) != 3 || row.ID == "" {
			t.Fatalf("%q is no row of a list (%v)", line, err)
		}
		got[line[0]+" "+line[1]]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("printed of the lists (-want +got):\n%s", diff)
	}
}

// told holds that the platform took every event of those it asked for, and gives the number
// of matches.
func (s *session) told(t *testing.T, x *export) int {
	t.Helper()
	coincidencias := s.Coincidencias(t)
	events := 0
	for _, c := range coincidencias {
		if c.Fase == "2" {
			events++
		}
		if c.Estado != "notificada" {
			t.Errorf("the match of the folio %q is %s", c.Folio, c.Estado)
		}
	}
	want := 0
	for n := range sought {
		want += x.good[personOf(n)]
	}
	if events != want {
		t.Errorf("%d events were found, want %d", events, want)
	}
	for _, r := range s.Plataforma.Received(simuladortest.Filtro{InstitucionID: s.ID}) {
		if r.Status != http.StatusOK {
			t.Errorf("the platform answered %d to %s", r.Status, r.Cuerpo)
		}
	}
	t.Logf("%d matches were told, %d of them events", len(coincidencias), events)
	return len(coincidencias)
}
