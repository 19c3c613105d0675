package process

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestCheckHealth_asksTheProgramBesideIt(t *testing.T) {
	var broken atomic.Bool
	addr := freeAddr(t)
	ops, err := StartOps(addr, func(context.Context) error {
		if broken.Load() {
			return errors.New("no database")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = CheckHealth(t.Context(), addr)
	if err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("starting: %v", err)
	}
	ops.Accept()
	_, port, _ := net.SplitHostPort(addr)
	for _, same := range []string{addr, ":" + port, "0.0.0.0:" + port, "[::]:" + port} {
		err = CheckHealth(t.Context(), same)
		if err != nil {
			t.Errorf("%s: %v", same, err)
		}
	}
	broken.Store(true)
	err = CheckHealth(t.Context(), addr)
	if err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("not ready: %v", err)
	}
	broken.Store(false)
	ops.Drain()
	err = CheckHealth(t.Context(), addr)
	if err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("draining: %v", err)
	}
	err = ops.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = CheckHealth(t.Context(), addr)
	if err == nil {
		t.Error("nobody there: no error")
	}
}

func TestCheckHealth_doesNotWaitForever(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	err = CheckHealth(ctx, listener.Addr().String())
	if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		t.Errorf("error = %v", err)
	}
}

func TestCheckHealth_refusesAnAddressWithoutPort(t *testing.T) {
	err := CheckHealth(t.Context(), "9191")
	if err == nil || !strings.Contains(err.Error(), "OPS_ADDR") {
		t.Errorf("error = %v", err)
	}
}

// freeAddr is an address on loopback where nothing listens.
func freeAddr(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	err = listener.Close()
	if err != nil {
		t.Fatal(err)
	}
	return addr
}
