package stack

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// secretsOf names the secrets that each process needs. None gets another's.
var secretsOf = map[string][]string{
	Registros:   {"SERVICE_SECRET"},
	Integracion: {"SERVICE_SECRET", "HASH_SECRET", "JWT_SECRET", "ENCRYPTION_KEYS", "EVIDENCE_KEYS", "GATEWAY_SECRET"},
	Gateway:     {"GATEWAY_SECRET"},
}

// notInherited are settings that mean something else to the launcher than to a process, or that the stack decides.
var notInherited = []string{
	"DATABASE_URL", "DATABASE_URL_MIGRATION", "DATABASE_URL_READ", "DATABASE_URL_REGISTROS", "DATABASE_URL_INTEGRACION", "TEST_DATABASE_URL",
	"GRPC_ADDR", "OPS_ADDR", "HTTP_ADDR", "HTTP_PORT", "LOCAL_DIR", "REMOVALS_DIR", "REGISTROS_TARGET", "INTEGRACION_TARGET", "SESSION_FILE",
	"PUI_SALIDA_CLAVE", "SERVICE_SECRET", "HASH_SECRET", "JWT_SECRET", "ENCRYPTION_KEYS", "EVIDENCE_KEYS", "GATEWAY_SECRET",
}

// localDefaults hold for a local run unless the environment says otherwise. The limit of wrong logins is wide because all
// of them come from one address here (contract.md, section 3), and requests are not limited at all, so that load can be
// tried. The simulator speaks without TLS, on loopback. A stop waits for no balancer to notice. Memory is as in the
// docker-compose set: collected seldom, but before it grows too large.
var localDefaults = map[string]string{
	"APP_ENV": "development", "PUI_HTTP": "true",
	"GOMEMLIMIT": "400MiB", "GOGC": "400",
	"STOP_DELAY": "0s", "GRPC_STOP_DELAY": "0s",
	"LOGIN_MAX_FAILURES": "100", "RATE_LIMIT": "0", "EMPRESA_RATE": "0", "CREDENTIAL_RATE": "0", "PUI_RATE": "0",
}

// environment returns the whole environment of a process: what it may inherit, then its wiring, then Config.Env.
func (s *Stack) environment(name string, inherited []string) []string {
	given := parseEnvironment(inherited)
	values := maps.Clone(localDefaults)
	values["PUBLIC_URL"] = s.addresses.BaseURL
	maps.Copy(values, given)
	for _, key := range notInherited {
		delete(values, key)
		delete(values, key+"_FILE")
	}
	maps.Copy(values, s.wiring(name))
	for _, key := range secretsOf[name] {
		maps.Copy(values, s.secret(key, given))
	}
	maps.Copy(values, s.cfg.Env)

	var environment []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		environment = append(environment, key+"="+values[key])
	}
	return environment
}

// wiring connects a process with its database and with the others.
func (s *Stack) wiring(name string) map[string]string {
	a := s.addresses
	registros, integracion := s.Target(Registros), s.Target(Integracion)
	values := map[string]string{"OPS_ADDR": a.Ops[name]}
	switch name {
	case Registros:
		values["GRPC_ADDR"] = a.GRPCRegistros
		values["INTEGRACION_TARGET"] = integracion
		maps.Copy(values, s.databaseWiring(name))
	case Integracion:
		values["GRPC_ADDR"] = a.GRPCIntegracion
		values["REGISTROS_TARGET"] = registros
		values["REMOVALS_DIR"] = s.removals()
		maps.Copy(values, s.databaseWiring(name))
	case Gateway:
		values["HTTP_ADDR"] = a.http
		values["REGISTROS_TARGET"] = registros
		values["INTEGRACION_TARGET"] = integracion
	case Simulador:
		values["HTTP_ADDR"] = a.simulador
	}
	return values
}

// removals is the folder of the list of erasures and voided secrets.
func (s *Stack) removals() string { return filepath.Join(s.cfg.Dir, "bajas") }

func (s *Stack) databaseWiring(name string) map[string]string {
	values := map[string]string{"DATABASE_URL": s.databases[name].app, "DATABASE_URL_READ": s.databases[name].lectura}
	if s.cfg.Pgbouncer != "" {
		values["DATABASE_POOLER"] = "transaction"
	}
	return values
}

// scheme is what the gateway's public port speaks: TLS if the settings name a certificate.
func scheme(env map[string]string) string {
	certificate, given := env["TLS_CERT_FILE"]
	if !given {
		certificate = os.Getenv("TLS_CERT_FILE")
	}
	if certificate == "" {
		return "http"
	}
	return "https"
}

// Target is where a service, Registros or Integracion, is called: the first replica, or all that the resolver knows at its
// port.
func (s *Stack) Target(service string) string {
	first := map[string]string{Registros: s.addresses.GRPCRegistros, Integracion: s.addresses.GRPCIntegracion}[service]
	if s.cfg.Resolver == "" {
		return "dns:///" + first
	}
	_, number, _ := net.SplitHostPort(first) // it was joined here
	return "dns://" + s.cfg.Resolver + "/" + net.JoinHostPort(service, number)
}

// secret returns a secret as the environment gives it, as a value or as a file, else the one kept in the folder of the
// run.
func (s *Stack) secret(key string, given map[string]string) map[string]string {
	for _, name := range []string{key + "_FILE", key} {
		if given[name] != "" {
			return map[string]string{name: given[name]}
		}
	}
	return map[string]string{key: s.secrets.Get(key)}
}

// makeSecrets fills in what the folder of the run does not hold yet.
func (s *Stack) makeSecrets() error {
	for key, create := range map[string]func() string{
		"SERVICE_SECRET":  randomKey,
		"GATEWAY_SECRET":  randomKey,
		"HASH_SECRET":     randomKey,
		"JWT_SECRET":      randomKey,
		"ENCRYPTION_KEYS": func() string { return "local:" + randomKey() },
		"EVIDENCE_KEYS":   randomKey,
	} {
		_, err := s.secrets.Ensure(key, create)
		if err != nil {
			return fmt.Errorf("keep secret %s: %w", key, err)
		}
	}
	return nil
}

// randomKey returns 32 random bytes in base64, the size that every key of ours has.
func randomKey() string {
	var key [32]byte
	_, _ = rand.Read(key[:]) // it never returns an error; it ends the program instead
	return base64.StdEncoding.EncodeToString(key[:])
}

func parseEnvironment(lines []string) map[string]string {
	values := map[string]string{}
	for _, line := range lines {
		key, value, found := strings.Cut(line, "=")
		if found {
			values[key] = value
		}
	}
	return values
}
