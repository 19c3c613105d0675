package harness

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// operador is the session with which a suite gives commands.
type operador struct {
	mu     sync.Mutex
	opened bool
}

// Operate runs a command of the operator and reads its answer, unless target is nil.
func (s *System) Operate(tb testing.TB, stdin string, target any, args ...string) {
	tb.Helper()
	output, err := s.Operator(tb.Context(), stdin, args...)
	if err != nil {
		tb.Fatal(err)
	}
	if target == nil {
		return
	}
	err = json.Unmarshal(output, target)
	if err != nil {
		tb.Fatalf("%v: %v", args, err)
	}
}

// Operator runs a command of the operator in a session that it opens at the first one.
func (s *System) Operator(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	err := s.openSesion(ctx)
	if err != nil {
		return nil, err
	}
	return s.Stack.Operator(ctx, stdin, args...)
}

// ForgetSesion has the next command open another session, where the tokens given out so far
// are void.
func (s *System) ForgetSesion() {
	s.operador.mu.Lock()
	defer s.operador.mu.Unlock()
	s.operador.opened = false
}

func (s *System) openSesion(ctx context.Context) error {
	s.operador.mu.Lock()
	defer s.operador.mu.Unlock()
	if s.operador.opened {
		return nil
	}
	usuario := "pruebas-" + strings.ToLower(rand.Text()[:8])
	output, err := s.Stack.Operator(ctx, "", "usuarios", "crear", "--usuario", usuario)
	if err != nil {
		return err
	}
	var made struct{ Clave string }
	err = json.Unmarshal(output, &made)
	if err != nil {
		return fmt.Errorf("read answer of usuarios crear: %w", err)
	}
	_, err = s.Stack.Operator(ctx, made.Clave, "sesion", "abrir", "--usuario", usuario, "--clave-stdin")
	if err != nil && strings.Contains(err.Error(), `unknown command "sesion`) {
		return nil // the programs of an earlier revision, which need none
	}
	s.operador.opened = err == nil
	return err
}
