//go:build linux && rotation

package rotation

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/fleet"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/process/certs/certstest"
)

// settings are what changes, by service and name.
type settings map[string]map[string]string

// rollOut changes settings and restarts the services that have them, one replica of each at
// once and then the others.
func (r *rotation) rollOut(t *testing.T, changed settings) {
	t.Helper()
	var services []string
	for _, replica := range r.Services() {
		values, concerned := changed[replica.Service]
		if !concerned {
			continue
		}
		services = append(services, replica.Service)
		for key, value := range values {
			err := system.Setenv(replica.Name, key, value)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	r.RestartHalves(t, services...)
}

// secretos are one value of each secret of the programs.
type secretos struct{ servicio, jwt, cifrado string }

// lists gives both services lists of values, the first ones first.
func lists(all ...secretos) settings {
	var joined secretos
	for i, s := range all {
		separator := ","
		if i == 0 {
			separator = ""
		}
		joined.servicio += separator + s.servicio
		joined.jwt += separator + s.jwt
		joined.cifrado += separator + s.cifrado
	}
	return settings{
		stack.Registros: {"SERVICE_SECRET": joined.servicio},
		stack.Integracion: {
			"SERVICE_SECRET": joined.servicio, "JWT_SECRET": joined.jwt, "ENCRYPTION_KEYS": joined.cifrado,
		},
	}
}

// programas changes all that takes restarts in the same three of them, the database roles in
// the second.
func (r *rotation) programas(t *testing.T) {
	kept := system.Secrets()
	old := secretos{kept.Get("SERVICE_SECRET"), kept.Get("JWT_SECRET"), kept.Get("ENCRYPTION_KEYS")}
	fresh := secretos{rand.Text() + rand.Text(), rand.Text() + rand.Text(), "nueva:" + base64.StdEncoding.EncodeToString([]byte(rand.Text() + rand.Text())[:32])}
	tokenOld := r.load.LogIn()
	r.wantTokens(t, old.servicio, true)
	r.wantTokens(t, fresh.servicio, false)

	r.rollOut(t, lists(old, fresh))
	r.wantTokens(t, old.servicio, true)
	r.wantTokens(t, fresh.servicio, true)
	r.wantSession(t, tokenOld, true)

	second := lists(fresh, old)
	roles := map[string]role{}
	for service := range second {
		roles[service] = secondRole(t, service)
		second[service]["DATABASE_URL"] = roles[service].fresh
	}
	r.rollOut(t, second)
	r.wantSession(t, tokenOld, true)
	for service, role := range roles {
		role.drop(t, service)
	}
	r.recifrar(t)
	tokenNew := r.load.LogIn() // as everybody has to within the hour that a token lasts

	r.rollOut(t, lists(fresh))
	system.ForgetSesion(t)
	r.wantTokens(t, old.servicio, false)
	r.wantTokens(t, fresh.servicio, true)
	r.wantSession(t, tokenOld, false)
	r.wantSession(t, tokenNew, true)
	r.wantSealed(t)
}

// recifrados is what `secretos recifrar` answers.
type recifrados struct {
	Recifrados int
	AlDia      int `json:"al_dia"`
	Quedan     int
	SinLlave   int `json:"sin_llave"`
}

func recifra(t *testing.T) recifrados {
	t.Helper()
	var done recifrados
	system.Operate(t, "", &done, "secretos", "recifrar")
	return done
}

// recifrar seals again until nothing is left to do.
func (r *rotation) recifrar(t *testing.T) {
	t.Helper()
	if recifra(t).Recifrados == 0 {
		t.Error("nothing was sealed with the old key")
	}
	for recifra(t).Recifrados > 0 {
		t.Log("sealed with the old key meanwhile")
	}
}

// wantSealed holds that the new key, which the programs know alone, opens all: the webhook
// secret here, the clave towards the platform with each match that is told.
func (r *rotation) wantSealed(t *testing.T) {
	t.Helper()
	done := recifra(t)
	if want := (recifrados{AlDia: done.AlDia}); done != want || done.AlDia == 0 {
		t.Errorf("with the new key alone: %+v", done)
	}
	r.wantEvento(t, r.llave.Texto, r.llave.Webhook, "E-3", http.StatusAccepted)
}

// call is an RPC that a token may let in or not.
type call struct{ service, rpc, token string }

// wantSession looks whether a token of /login is good for the platform's calls.
func (r *rotation) wantSession(t *testing.T, token string, good bool) {
	t.Helper()
	r.wantAdmitted(t, call{stack.Integracion, integracionv1.ReporteService_ActivateReporte_FullMethodName, token}, good)
}

// wantTokens looks whether the services take each other's tokens when they are signed with
// this secret.
func (r *rotation) wantTokens(t *testing.T, secreto string, good bool) {
	t.Helper()
	for _, c := range []call{
		{stack.Registros, registrosv1.BusquedaService_OpenCaso_FullMethodName, serviceToken(t, secreto, stack.Integracion, stack.Registros)},
		{stack.Integracion, integracionv1.EntregaService_NotifyCoincidencia_FullMethodName, serviceToken(t, secreto, stack.Registros, stack.Integracion)},
	} {
		r.wantAdmitted(t, c, good)
	}
}

// serviceToken is what one service shows the other.
func serviceToken(t *testing.T, secreto, issuer, audience string) string {
	t.Helper()
	now := time.Now()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.RegisteredClaims{
		Issuer: issuer, Subject: issuer, Audience: jwt.ClaimStrings{audience}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(time.Minute)),
	}).SignedString([]byte(secreto))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// wantAdmitted asks every replica whether it would take the call.
func (r *rotation) wantAdmitted(t *testing.T, c call, good bool) {
	t.Helper()
	want := codes.Unauthenticated
	if good {
		want = codes.OK
	}
	for _, replica := range r.Services() {
		if replica.Service != c.service {
			continue
		}
		got := status.Code(admit(t, replica, c))
		if got != want {
			t.Errorf("%s answers %v to %s, want %v", replica.Name, got, c.rpc, want)
		}
	}
}

func admit(t *testing.T, replica fleet.Replica, c call) error {
	t.Helper()
	conn := dial(t, replica, certstest.Pair{Cert: shown.files.Cert, Key: shown.files.Key})
	ctx, cancel := context.WithTimeout(t.Context(), harness.Limit)
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+c.token)
	_, err := accesov1.NewAccesoServiceClient(conn).CheckAcceso(ctx, &accesov1.CheckAccesoRequest{Rpc: c.rpc}, grpc.WaitForReady(true))
	return err
}

// role is a service's way into its database, before and after.
type role struct{ old, fresh string }

// secondRole makes a login role beside the present one.
func secondRole(t *testing.T, service string) role {
	t.Helper()
	old, err := url.Parse(system.AppURL(service))
	if err != nil {
		t.Fatal(err)
	}
	name, password := old.User.Username()+"_2", rand.Text()
	execute(t, service,
		"CREATE ROLE "+name+" LOGIN PASSWORD '"+password+"' IN ROLE enlace_app",
		"GRANT CONNECT, TEMPORARY ON DATABASE "+service+" TO "+name)
	fresh := *old
	fresh.User = url.UserPassword(name, password)
	return role{old: old.String(), fresh: fresh.String()}
}

// drop ends the old role, which then gets in no more.
func (r role) drop(t *testing.T, service string) {
	t.Helper()
	old, err := url.Parse(r.old)
	if err != nil {
		t.Fatal(err)
	}
	execute(t, service, "DROP OWNED BY "+old.User.Username(), "DROP ROLE "+old.User.Username())
	for address, good := range map[string]bool{r.old: false, r.fresh: true} {
		conn, err := pgx.Connect(t.Context(), address)
		if (err == nil) != good {
			t.Errorf("log in to the database of %s: %v", service, err)
		}
		if err == nil {
			_ = conn.Close(t.Context())
		}
	}
}

// execute runs statements as the database's administrator.
func execute(t *testing.T, service string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), system.AdminURL(stack.Postgres, service))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	for _, statement := range statements {
		_, err = conn.Exec(t.Context(), statement)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
