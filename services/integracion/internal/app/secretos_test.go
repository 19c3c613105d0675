package app_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// logbook is a log that is written by many and read at the end.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestLog_holdsNothingPrivate goes through everything that the service does, at the most
// talkative level, failures included.
func TestLog_holdsNothingPrivate(t *testing.T) {
	t.Parallel()
	var log logbook
	s := start(t, integraciontest.Options{Log: integraciontest.Logger(&log), PuiTimeout: time.Second})
	operador := s.CreateUsuario("operador")
	token := s.Login("operador", operador)
	_, err := login(t.Context(), s.conn, "203.0.113.7", "", "PUI", "Una-Clave-Equivocada-1")
	wantMotivo(t, "wrong login", err, errores.CredencialInvalida)
	s.activateLongAgo(t, empresaA)
	_, err = s.avisos(t, s.keys[empresaA].Texto, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.avisos(t, s.keys[empresaA].Texto[:60], "")
	wantMotivo(t, "half a key", err, errores.CredencialInvalida)
	for _, falla := range []simuladortest.Falla{
		{Ruta: simuladortest.RutaLogin, Tipo: simuladortest.FallaStatus, Status: 403, Veces: 1},
		{Ruta: simuladortest.RutaNotificarCoincidencia, Tipo: simuladortest.FallaCorte, Veces: 1},
		{Ruta: simuladortest.RutaNotificarCoincidencia, Tipo: simuladortest.FallaStatus, Status: 400, Veces: 1},
	} {
		s.simulador.Fail(falla)
		s.notify(t, newNotify(empresaA))
	}
	s.notify(t, newNotify(empresaA))
	s.deactivate(t, empresaA)

	written := log.String()
	if !strings.Contains(written, "platform told") || !strings.Contains(written, "rpc") {
		t.Fatalf("the log does not tell what was done: %s", written)
	}
	for what, private := range map[string]string{
		"clave of the platform":         s.claves[empresaA],
		"clave towards the platform":    claveSim,
		"clave of an operator":          operador,
		"wrong clave":                   "Una-Clave-Equivocada-1",
		"token of an operator":          token,
		"token of the platform":         s.tokens[empresaA],
		"signature of a token":          token[strings.LastIndex(token, ".")+1:],
		"API key":                       s.keys[empresaA].Texto,
		"secret of the API key":         s.keys[empresaA].Texto[len(s.keys[empresaA].Texto)-49:],
		"half of an API key":            s.keys[empresaA].Texto[40:60],
		"webhook secret":                s.keys[empresaA].SecretoWebhook,
		"name":                          "PRIVADO",
		"CURP":                          curp,
		"address of who tried to enter": "203.0.113.7",
	} {
		if private == "" || strings.Contains(written, private) {
			t.Errorf("the log holds the %s", what)
		}
	}
}
