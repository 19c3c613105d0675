package secrets

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// book is text that several write and one reads at the end.
type book struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *book) add(content []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Write(content)
	b.text.WriteByte('\n')
}

func (b *book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// collector takes whatever is exported to it by gRPC, as bytes.
type collector struct {
	book
	address string
}

// rawCodec leaves messages as they are on the wire.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(any) (mem.BufferSlice, error) { return nil, nil }

func (rawCodec) Unmarshal(data mem.BufferSlice, target any) error {
	*target.(*[]byte) = data.Materialize()
	return nil
}

// newCollector serves until the process ends.
func newCollector() (*collector, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for traces: %w", err)
	}
	c := &collector{address: listener.Addr().String()}
	server := grpc.NewServer(grpc.ForceServerCodecV2(rawCodec{}), grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		var message []byte
		err := stream.RecvMsg(&message)
		if err != nil {
			return err
		}
		c.add(message)
		return stream.SendMsg([]byte{})
	}))
	go func() { _ = server.Serve(listener) }() // it ends with the process
	return c, nil
}

// watchProcesses writes down what every user of the machine can see of its processes, until
// it is stopped.
func watchProcesses(t *testing.T) (stop func() string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var seen book
	var done sync.WaitGroup
	done.Go(func() {
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			listing, err := exec.CommandContext(ctx, "ps", "-A", "-o", "args=").Output()
			if err == nil {
				seen.add(listing)
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
	return func() string {
		cancel()
		done.Wait()
		return seen.String()
	}
}

// logs is what all programs wrote, PostgreSQL included.
func logs(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(system.LogPath(stack.Gateway)), "*.log"))
	if err != nil || len(paths) < 4 {
		t.Fatalf("found %d logs, %v", len(paths), err)
	}
	var all strings.Builder
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}

// metrics is what all operations ports serve.
func metrics(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for name, address := range system.Addresses().Ops {
		res, err := harness.HTTP.Get("http://" + address + "/metrics")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		content, err := io.ReadAll(res.Body)
		_ = res.Body.Close() // it was read to its end
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v", name, res.StatusCode, err)
		}
		all.Write(content)
	}
	return all.String()
}

// databases is every column of every row of both databases, as text; bytea is hexadecimal.
func databases(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, service := range []string{stack.Registros, stack.Integracion} {
		conn, err := pgx.Connect(t.Context(), system.OwnerURL(service))
		if err != nil {
			t.Fatal(err)
		}
		dump(t, conn, &all)
		_ = conn.Close(context.Background()) // nothing was changed
	}
	return all.String()
}

// dump lifts row-level security off the owner, in a transaction that is rolled back.
func dump(t *testing.T, conn *pgx.Conn, out *strings.Builder) {
	t.Helper()
	ctx := t.Context()
	rows, err := conn.Query(ctx, `
		SELECT c.oid::regclass::text, c.relforcerowsecurity FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND n.nspname NOT IN ('pg_catalog', 'information_schema')`)
	if err != nil {
		t.Fatal(err)
	}
	type table struct {
		Name   string
		Forced bool
	}
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[table])
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range tables {
		tx, err := conn.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if each.Forced {
			_, err = tx.Exec(ctx, "ALTER TABLE "+each.Name+" NO FORCE ROW LEVEL SECURITY")
			if err != nil {
				t.Fatal(err)
			}
		}
		rows, err := tx.Query(ctx, "SELECT each::text FROM "+each.Name+" each")
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%s: %v", each.Name, err)
		}
		fmt.Fprintf(out, "%s: %d rows\n%s\n", each.Name, len(lines), strings.Join(lines, "\n"))
		_ = tx.Rollback(ctx) // the connection is closed soon
	}
}
