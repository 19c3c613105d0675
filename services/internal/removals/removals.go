// Package removals keeps the list of persons that were erased and of secrets that were voided. It
// lies in files outside of the databases and of their backups, so that what a restoration brings
// back can be removed again. It has ids and keyed hashes, no data of a person.
package removals

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Erasure is the Accion of an erased person or record.
const Erasure = "registros_borrados"

// Config is where the list is.
type Config struct {
	// Dir is the folder of the list of erasures and voided secrets, by which `reaplicar` removes
	// what a restoration brought back. All replicas of integracion write there; it belongs on
	// another disk than the database's. Empty: no list is kept.
	Dir string `env:"REMOVALS_DIR"`
}

// Removal is one line of the list: an entry of the Bitácora that erased or voided something.
type Removal struct {
	ID        uuid.UUID        `json:"id"` // the entry's
	At        time.Time        `json:"en"`
	EmpresaID tenant.EmpresaID `json:"id_empresa"`
	Accion    string           `json:"accion"`
	// Recurso is the operator or the API key, or the keyed hash of the folio that was erased.
	Recurso    string `json:"recurso,omitempty"`
	HuellaCURP []byte `json:"huella_curp,omitempty"`
	// Hasta is until when a secret that was voided goes on working; zero: not at all.
	Hasta time.Time `json:"hasta,omitzero"`
	// Coincidencias are those that lost what they told.
	Coincidencias []string `json:"coincidencias,omitempty"`
}

// List adds to the list. Each has a file of its own, so that replicas on different machines can
// share a folder. A nil List keeps nothing. Safe for concurrent use.
type List struct {
	dir string

	mu   sync.Mutex
	file *os.File // nil until the first line, and after a line that failed
}

// Open makes the folder if it is missing, and gives nil if there is to be none.
func Open(cfg Config) (*List, error) {
	if cfg.Dir == "" {
		return nil, nil
	}
	err := os.MkdirAll(cfg.Dir, 0o700)
	if err != nil {
		return nil, fmt.Errorf("make REMOVALS_DIR: %w", err)
	}
	return &List{dir: cfg.Dir}, nil
}

// Add returns once the line is on the disk.
func (l *List) Add(r Removal) error {
	if l == nil {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write removal: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	err = l.append(append(line, '\n'))
	if err != nil {
		// What may be half a line ends this file.
		_ = l.close()
		return fmt.Errorf("write removal: %w", err)
	}
	return nil
}

func (l *List) append(line []byte) error {
	if l.file == nil {
		file, err := os.OpenFile(filepath.Join(l.dir, uuid.NewString()+extension), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		l.file = file
		err = syncDir(l.dir)
		if err != nil {
			return err
		}
	}
	_, err := l.file.Write(line)
	if err != nil {
		return err
	}
	return l.file.Sync()
}

// Close ends the file; the next line makes another one.
func (l *List) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.close()
}

func (l *List) close() error {
	file := l.file
	l.file = nil
	if file == nil {
		return nil
	}
	return file.Close()
}

func syncDir(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

const extension = ".jsonl"

// Read gives the whole list, the oldest line first. The last line of a file may have been cut:
// then it was not added.
func Read(cfg Config) ([]Removal, error) {
	if cfg.Dir == "" {
		return nil, errors.New("REMOVALS_DIR does not say where the list of erasures and voided secrets is")
	}
	var all []Removal
	err := fs.WalkDir(os.DirFS(cfg.Dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != extension {
			return err
		}
		content, err := os.ReadFile(filepath.Join(cfg.Dir, path))
		if err != nil {
			return err
		}
		for line := range bytes.Lines(content) {
			if !bytes.HasSuffix(line, []byte("\n")) {
				break
			}
			var r Removal
			err = json.Unmarshal(line, &r)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			all = append(all, r)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read removals: %w", err)
	}
	slices.SortStableFunc(all, func(a, b Removal) int { return a.At.Compare(b.At) })
	return all, nil
}
