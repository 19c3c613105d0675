package removals

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
)

func newList(t *testing.T, cfg Config) *List {
	t.Helper()
	list, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = list.Close() })
	return list
}

func add(t *testing.T, list *List, accion string, at time.Time) {
	t.Helper()
	err := list.Add(Removal{ID: uuid.New(), At: at, EmpresaID: "LAB010101AB1", Accion: accion, HuellaCURP: []byte{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRead_givesWhatAllReplicasAdded(t *testing.T) {
	t.Parallel()
	cfg := Config{Dir: filepath.Join(t.TempDir(), "bajas")}
	one, two := newList(t, cfg), newList(t, cfg)
	start := time.Now()
	add(t, one, "first", start)
	add(t, two, "second", start.Add(time.Second))
	add(t, one, "third", start.Add(2*time.Second))
	files, err := filepath.Glob(filepath.Join(cfg.Dir, "*"))
	if err != nil || len(files) != 2 {
		t.Errorf("%d files, %v; want one of each replica", len(files), err)
	}
	wantRead(t, cfg, "first", "second", "third")
}

// A line that was cut was not added: who added it was told so, and the next one starts elsewhere.
func TestRead_passesOverALineThatWasCut(t *testing.T) {
	t.Parallel()
	cfg := Config{Dir: t.TempDir()}
	list := newList(t, cfg)
	add(t, list, "whole", time.Now())
	err := os.WriteFile(filepath.Join(cfg.Dir, "cut"+extension), []byte(`{"accion":"cu`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	wantRead(t, cfg, "whole")
	err = os.WriteFile(filepath.Join(cfg.Dir, "changed"+extension), []byte("{\"accion\":\"ch\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Read(cfg)
	if err == nil {
		t.Error("a whole line that is not JSON was passed over")
	}
}

func TestList_Add_failsWithTheDisk(t *testing.T) {
	t.Parallel()
	cfg := Config{Dir: t.TempDir()}
	list := newList(t, cfg)
	add(t, list, "before", time.Now())
	err := list.file.Close()
	if err != nil {
		t.Fatal(err)
	}
	if list.Add(Removal{Accion: "lost"}) == nil {
		t.Error("a line that could not be written was taken")
	}
	add(t, list, "after", time.Now())
	wantRead(t, cfg, "before", "after")
}

func TestRead_needsAFolder(t *testing.T) {
	t.Parallel()
	for _, cfg := range []Config{{}, {Dir: filepath.Join(t.TempDir(), "none")}} {
		_, err := Read(cfg)
		if err == nil {
			t.Errorf("%+v was read", cfg)
		}
	}
}

func wantRead(t *testing.T, cfg Config, want ...string) {
	t.Helper()
	list, err := Read(cfg)
	var got []string
	for _, r := range list {
		got = append(got, r.Accion)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}
