package bench

import (
	"crypto/sha256"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/port"
	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// startPeer starts the peer (peer/) on a database of its own.
func (s *session) startPeer(b *testing.B) {
	b.Helper()
	database := s.makePeerDatabase(b)
	number, err := port.Free()
	if err != nil {
		b.Fatal(err)
	}
	harness.NewNode(b, "peer").Start(b, []string{"DATABASE_URL=" + database, "PORT=" + strconv.Itoa(number)}, "servidor.js")
	s.peer = newCaller(b, "http://"+port.Address(number), apiKey, s.empresa.ApiKey)
	harness.Eventually(b, "the peer's first answer", func() bool {
		status, err := harness.Status(b.Context(), s.peer.base+pingPath, s.peer.header, struct{}{})
		return err == nil && status == http.StatusOK
	})
}

// makePeerDatabase makes it on the same server, where the institution has the same key.
func (s *session) makePeerDatabase(b *testing.B) (address string) {
	b.Helper()
	s.exec("CREATE ROLE peer LOGIN PASSWORD 'peer'")
	s.exec("CREATE DATABASE peer OWNER peer")
	owner, err := url.Parse(s.system.AdminURL(stack.Postgres, "peer"))
	if err != nil {
		b.Fatal(err)
	}
	owner.User = url.UserPassword("peer", "peer")
	tables, err := os.ReadFile("peer/tablas.sql")
	if err != nil {
		b.Fatal(err)
	}
	key := sha256.Sum256([]byte(s.empresa.ApiKey))
	s.peerAdmin = connect(b, owner.String())
	_, err = s.peerAdmin.Exec(b.Context(), string(tables))
	if err == nil {
		_, err = s.peerAdmin.Exec(b.Context(), `INSERT INTO api_keys VALUES ($1, $2)`, key[:], s.empresa.ID)
	}
	if err != nil {
		b.Fatal(err)
	}
	return owner.String()
}

// wantSameWork holds that the peer does what we do: of records that are new, the same, changed,
// and of one whose person an open case asks for.
func (s *session) wantSameWork() {
	type counts struct {
		Creados, Actualizados, Coincidencias int
		SinCambios                           int `json:"sin_cambios"`
	}
	s.fill(0, 1)
	records := s.fresh(4, true)
	records[0].CURP, records[0].FechaEvento = newPersona(casePersons).curp, harness.Day(0)
	for _, step := range []struct {
		records []registro
		want    counts
	}{
		{records, counts{Creados: 4, Coincidencias: 1}},
		{records, counts{SinCambios: 4}},
		{changed(records[1:]), counts{Actualizados: 2, SinCambios: 1}},
	} {
		for _, c := range []*caller{s.ours, s.peer} {
			var got counts
			harness.Call(s.tb, http.MethodPost, c.base+lotePath, c.header, body(s.tb, step.records)).Want(s.tb, http.StatusOK).Into(s.tb, &got)
			if got != step.want {
				s.tb.Fatalf("%s: %+v, want %+v", c.base, got, step.want)
			}
		}
	}
}

func (s *session) exec(statement string, args ...any) {
	s.tb.Helper()
	_, err := s.admin.Exec(s.tb.Context(), statement, args...)
	if err != nil {
		s.tb.Fatal(err)
	}
}
