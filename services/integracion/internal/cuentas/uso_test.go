package cuentas

import (
	"context"
	"testing"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// touched collects the keys whose use was written down.
type touched chan string

func (c touched) TouchApiKey(_ context.Context, _ tenant.EmpresaID, keyID string) error {
	c <- keyID
	return nil
}

func TestUsoRecorder_neverHoldsItsCaller(t *testing.T) {
	store := make(touched)
	recorder := NewUsoRecorder(store, nil)
	// More than can wait, and nobody writes yet.
	for range 2 * waitingUsos {
		recorder.Used(empresaA, "K")
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		recorder.Run(ctx)
	}()
	for range waitingUsos {
		if keyID := <-store; keyID != "K" {
			t.Fatalf("touched %q", keyID)
		}
	}
	cancel()
	<-done
}
