package edge

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/enlace-iis/enlace/services/process/fair"
)

// A remote is one end of a connection; the server's end is what a Body is read from.
type remote struct{ net.Conn }

func beginBody(t *testing.T, gates *gates, limit time.Duration) (*body, remote) {
	t.Helper()
	server, other := net.Pipe()
	body := gates.begin(server, server, time.Now().Add(limit))
	t.Cleanup(func() {
		body.leave()
		_ = server.Close()
		_ = other.Close()
	})
	return body, remote{other}
}

// send sends size bytes, in pieces, at so many bytes a second.
func (c remote) send(size, perSecond int) {
	const pieces = 10
	for ; size > 0; size -= perSecond / pieces {
		_, err := c.Write(make([]byte, min(size, perSecond/pieces)))
		if err != nil {
			return
		}
		time.Sleep(time.Second / pieces)
	}
	_ = c.Close()
}

func TestIntake_comesAtAPace(t *testing.T) {
	const minute = time.Minute
	for name, tt := range map[string]struct {
		size, perSecond int
		limit           time.Duration
		want            error
	}{
		"quick":                      {1 << 20, 1 << 20, minute, nil},
		"just quick enough":          {512 << 10, 17 << 10, minute, nil},
		"too slow":                   {512 << 10, 15 << 10, minute, errSlow},
		"small and slow":             {3 << 10, 1 << 10, minute, nil},
		"small and too slow":         {6 << 10, 1 << 10, minute, errSlow},
		"quick, but not in its time": {512 << 10, 64 << 10, 2 * time.Second, errSlow},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				body, client := beginBody(t, newGates(Config{MaxBodyBytes: 1 << 20}), tt.limit)
				var sending sync.WaitGroup
				sending.Go(func() { client.send(tt.size, tt.perSecond) })
				read, err := io.Copy(io.Discard, body)
				if !errors.Is(err, tt.want) || tt.want == nil && read != int64(tt.size) {
					t.Errorf("got %d bytes and %v, want %v", read, err, tt.want)
				}
				_ = client.Close()
				sending.Wait()
			})
		})
	}
}

// A client that was quick may stop for the length of a window only, however much it has sent.
func TestIntake_earnsNoCredit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body, client := beginBody(t, newGates(Config{MaxBodyBytes: 1 << 20}), time.Minute)
		go func() { _, _ = client.Write(make([]byte, 10*paceBytes)) }()
		started := time.Now()
		_, err := io.Copy(io.Discard, body)
		if stopped := time.Since(started); !errors.Is(err, errSlow) || stopped > paceWindow {
			t.Errorf("got %v after %s", err, stopped)
		}
	})
}

func TestIntake_shares(t *testing.T) {
	gates := newGates(Config{MaxBodyBytes: 1 << 20, EmpresaMaxBatchBytes: 1000, EmpresaMaxBatches: 1})
	admit := func(owner string, verified, large bool, most int64) error {
		body, _ := beginBody(t, gates, time.Minute)
		return body.admit(t.Context(), owner, verified, large, most)
	}
	for _, tt := range []struct {
		owner           string
		verified, large bool
		most            int64
		want            error
	}{
		{"a", true, true, 600, nil},
		{"a", true, true, 1, fair.ErrShare},
		{"a", true, false, 401, fair.ErrShare},
		{"a", true, false, 400, nil},
		{"b", true, true, 1000, nil},
		{"c", false, true, 1 << 20, nil},
		{"c", false, true, 1 << 20, nil},
	} {
		err := admit(tt.owner, tt.verified, tt.large, tt.most)
		if !errors.Is(err, tt.want) {
			t.Errorf("%+v: got %v", tt, err)
		}
	}
}

// Strangers take room from each other alone, and an idle one with much gives way.
func TestIntake_ofStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gates := newGates(Config{MaxBodyBytes: 1 << 20, EmpresaMaxBatchBytes: 1 << 20, EmpresaMaxBatches: 4})
		reserve := func(owner string, verified bool, size int64) (*body, error) {
			body, _ := beginBody(t, gates, time.Minute)
			err := body.admit(t.Context(), owner, verified, false, size)
			if err != nil {
				return body, err
			}
			return body, body.reserve(t.Context(), size)
		}
		idle, err := reserve("192.0.2.1/32", false, strangersBytes)
		if err != nil {
			t.Fatal(err)
		}
		_, err = reserve("A", true, 512<<10)
		if err != nil {
			t.Errorf("an institution: got %v", err)
		}
		_, err = reserve("192.0.2.2/32", false, 64<<10)
		if err != nil {
			t.Errorf("another stranger: got %v", err)
		}
		_, err = idle.Read(make([]byte, 1))
		if !errors.Is(err, fair.ErrLost) {
			t.Errorf("the idle stranger: got %v, want %v", err, fair.ErrLost)
		}
	})
}

// A slowWriter is a connection whose client reads nothing.
type slowWriter struct {
	http.ResponseWriter
	net.Conn
}

func (s slowWriter) Write(p []byte) (int, error) { return s.Conn.Write(p) }

// An answer that nobody reads is not at work, and gives way to another one.
func TestAnswer_unreadKeepsNobodyFromWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gates := newGates(Config{MaxBodyBytes: 1 << 20, EmpresaMaxBatchBytes: 1 << 20, EmpresaMaxBatches: 4})
		work := func(owner string, need int64) (*body, http.ResponseWriter, remote) {
			t.Helper()
			server, other := net.Pipe()
			body := gates.begin(http.NoBody, server, time.Now().Add(time.Minute))
			t.Cleanup(func() {
				body.leave()
				_ = other.Close()
			})
			err := body.whole(t.Context(), owner, need)
			if err != nil {
				t.Fatalf("%s does not get to work: %v", owner, err)
			}
			return body, body.answer(t.Context(), slowWriter{httptest.NewRecorder(), server}), remote{other}
		}
		_, w, _ := work("a", 1<<20)
		unread := make(chan error, 1)
		go func() {
			_, err := w.Write(make([]byte, 400<<10))
			unread <- err
		}()
		time.Sleep(time.Second)

		second, w, reader := work("b", 1<<20)
		go func() { _, _ = io.Copy(io.Discard, reader) }()
		n, err := w.Write(make([]byte, 200<<10))
		if n != 200<<10 || err != nil {
			t.Errorf("the answer that is read: got %d %v", n, err)
		}
		err = <-unread
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the answer that is not read: got %v, want it cut", err)
		}
		second.leave()
	})
}

// Who waits does not wait for ever.
func TestIntake_waitsForATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gates := newGates(Config{MaxBodyBytes: 1 << 20, EmpresaMaxBatchBytes: 1 << 20, EmpresaMaxBatches: 4})
		first, _ := beginBody(t, gates, time.Minute)
		err := first.whole(t.Context(), "a", 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		second, _ := beginBody(t, gates, time.Minute)
		err = second.whole(t.Context(), "b", 1)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with no turn free: got %v", err)
		}
		time.AfterFunc(time.Second, first.leave)
		third, _ := beginBody(t, gates, time.Minute)
		err = third.whole(t.Context(), "b", 1)
		if err != nil {
			t.Errorf("when one is free: got %v", err)
		}
	})
}
