//go:build disk

package outage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

const (
	// diskSize is room for the databases, their WAL and some batches.
	diskSize = "size=448m"
	// perLote is how many records a batch of the filler has.
	perLote = 500
	// backLimit is how long the end of all that waited may take once there is room.
	backLimit = 3 * time.Minute
)

// The disk of PostgreSQL fills until it cannot extend a table, then until it cannot write its WAL,
// for which it crashes. Every write is answered 503 meanwhile. With room again, all goes on without
// anybody's help but that of the supervisor that restarts PostgreSQL, as compose and Kubernetes do.
func TestDisk_full(t *testing.T) {
	disk := newDisk(t)
	s := disk.start(t)
	sending := startSender(t, s.NewInstitucion(t))
	filling := &filler{Institucion: s.NewInstitucion(t)}
	sending.goesOn(t)
	filling.send(t, 2*perLote)

	disk.fill(t)
	for !disk.logHas(t, "PANIC: ") {
		filling.send(t, perLote)
	}
	if !disk.logHas(t, "ERROR:  could not extend file") {
		t.Error("no table met the full disk before the WAL did")
	}
	if filling.refused == 0 {
		t.Error("no batch was refused")
	}
	refused := sending.count(http.StatusServiceUnavailable)
	harness.Eventually(t, "the refusal of records", func() bool { return sending.count(http.StatusServiceUnavailable) >= refused+20 })
	llamada := sending.Plataforma.Activate(sending.ID, activation(2))
	if llamada.Status != http.StatusServiceUnavailable {
		t.Errorf("got %d for the platform's activation, want 503: %s", llamada.Status, llamada.Cuerpo)
	}

	disk.free(t)
	sending.goesOn(t)
	sending.search(t, 2)
	sending.stop()
	sending.wantStatuses(t, http.StatusOK, http.StatusCreated, http.StatusServiceUnavailable)
	sending.wantAll(t)
	filling.wantAll(t)
}

// filler sends batches of records of which nobody is sought.
type filler struct {
	*harness.Institucion
	accepted [][]any
	sent     int
	refused  int
}

// send sends so many new records, each batch once.
func (f *filler) send(t *testing.T, total int) {
	t.Helper()
	for range total / perLote {
		lote := make([]any, perLote)
		for i := range lote {
			f.sent++
			record := harness.Registro(fmt.Sprintf("F-%d", f.sent), harness.CurpDos, harness.Day(-1))
			record["domicilio"] = map[string]any{"direccion": fmt.Sprintf("Calle %0400d", f.sent)}
			lote[i] = record
		}
		got := f.Post(t, "/cliente/registros/lote", lote)
		switch got.Status {
		case http.StatusOK:
			f.accepted = append(f.accepted, lote)
		case http.StatusServiceUnavailable:
			f.refused++
			if got.Header.Get("Retry-After") == "" || !bytes.Contains(got.Body, []byte(`"no_disponible"`)) {
				t.Errorf("got the refusal %s, Retry-After %q", got.Body, got.Header.Get("Retry-After"))
			}
		default:
			t.Fatalf("got %d, want 200 or 503: %s", got.Status, got.Body)
		}
	}
}

// wantAll holds that every accepted record is there as it was sent.
func (f *filler) wantAll(t *testing.T) {
	t.Helper()
	for n, lote := range f.accepted {
		var again struct {
			SinCambios int `json:"sin_cambios"`
		}
		f.Post(t, "/cliente/registros/lote", lote).Want(t, http.StatusOK).Into(t, &again)
		if again.SinCambios != len(lote) {
			t.Errorf("got %d unchanged records of the accepted batch %d, want %d", again.SinCambios, n, len(lote))
		}
	}
}

// disk is a small file system with the databases of a system, and what takes their room.
type disk struct {
	dir     string // of the system
	system  *harness.System
	ballast string
}

// newDisk mounts one where the system keeps its databases.
func newDisk(t *testing.T) *disk {
	t.Helper()
	dir, err := os.MkdirTemp("", "enlace-disk-") // PostgreSQL's account may enter it, unlike t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	data := filepath.Join(dir, stack.PostgresFolder)
	err = errors.Join(os.Chmod(dir, 0o755), os.Mkdir(data, 0o755))
	if err == nil {
		err = syscall.Mount("tmpfs", data, "tmpfs", 0, diskSize+",mode=755")
	}
	if err != nil {
		t.Fatalf("mount a small disk (this needs root): %v", err)
	}
	t.Cleanup(func() {
		err := syscall.Unmount(data, syscall.MNT_DETACH)
		if err != nil {
			t.Error(err)
		}
	})
	return &disk{dir: dir, ballast: filepath.Join(data, "ballast")}
}

// start starts a system on the disk, and the supervisor of its PostgreSQL.
func (d *disk) start(t *testing.T) *harness.System {
	t.Helper()
	programs, err := harness.BuildShared()
	if err != nil {
		t.Fatal(err)
	}
	d.system, err = harness.StartDurable(programs, d.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var supervising sync.WaitGroup
	supervising.Go(func() { d.supervise(ctx, t) })
	t.Cleanup(func() {
		cancel()
		supervising.Wait()
		err := d.system.Stop(context.Background())
		if err != nil {
			t.Error(err)
		}
	})
	return d.system
}

// supervise starts PostgreSQL again whenever it ends.
func (d *disk) supervise(ctx context.Context, t *testing.T) {
	for {
		select {
		case <-ctx.Done():
			return
		case exit := <-d.system.Exited():
			if exit.Name != stack.Postgres {
				t.Errorf("%s ended by itself", exit.Name)
				continue
			}
			for d.system.Restart(ctx, stack.Postgres) != nil {
				select {
				case <-ctx.Done():
					return
				case <-time.After(time.Second):
				}
			}
		}
	}
}

// fill takes all the room that is left.
func (d *disk) fill(t *testing.T) {
	t.Helper()
	file, err := os.Create(d.ballast)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 64<<10)
	for err == nil {
		_, err = file.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	err = file.Close()
	if err != nil {
		t.Fatal(err)
	}
}

// free gives the room back.
func (d *disk) free(t *testing.T) {
	t.Helper()
	err := os.Remove(d.ballast)
	if err != nil {
		t.Fatal(err)
	}
}

// logHas reports whether PostgreSQL has logged a text.
func (d *disk) logHas(t *testing.T, text string) bool {
	t.Helper()
	log, err := os.ReadFile(d.system.LogPath(stack.Postgres))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(log, []byte(text))
}
