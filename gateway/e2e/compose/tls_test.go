//go:build compose

package compose

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// The public port speaks TLS and nothing else, with caddy's own authority for localhost, and
// the gateway behind it believes caddy who the client is.
func TestTLS_isThePublicPort(t *testing.T) {
	harness.Within(t, harness.Limit, "an answer over TLS", func() bool { return health(set.client(t), set.secureURL) == http.StatusOK })
	if status := health(http.DefaultClient, strings.Replace(set.secureURL, "https", "http", 1)); status != http.StatusBadRequest {
		t.Errorf("plain text at the public port is answered %d", status)
	}
	harness.Within(t, scraped, "what Prometheus knows of the gateways", func() bool { return len(query(t, `enlace_http_forwarded_untrusted_total`)) == 2 })
	if total := query(t, `sum(enlace_http_forwarded_untrusted_total)`); total[0] != "0" {
		t.Errorf("%s requests came by a proxy that the gateway does not trust", total[0])
	}
	pass("the public port speaks TLS alone; the gateway trusts the proxy in front")
}

// With certificates as files the public port shows the one that is given, and the services speak with each other by
// TLS alone, with certificates on both ends; without a word of either in .env all is as before.
func TestTLS_certificatesAsFiles(t *testing.T) {
	_, err := set.output(exec.Command(filepath.Join(set.root, "deploy/docker/certificados.sh")))
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.Stat(filepath.Join(set.root, "deploy/docker/certificados/ca-key.pem"))
	if err != nil || key.Mode().Perm() != 0o600 {
		t.Errorf("the authority's key has the mode %v, %v", key, err)
	}
	files := set.dotenv(t)["COMPOSE_FILE"]
	set.note(t, "COMPOSE_FILE", files+":deploy/docker/tls.yml")
	defer set.start(t)
	defer set.note(t, "COMPOSE_FILE", files)
	dir := filepath.Join(set.root, "aparte/publico")
	pool := writeCertificate(t, dir)
	set.note(t, "PUBLIC_TLS", "files")
	set.note(t, "PUBLIC_TLS_DIR", dir)
	defer set.note(t, "PUBLIC_TLS", "automatic")
	set.start(t)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	harness.Within(t, harness.Limit, "an answer with the certificate of the files", func() bool { return health(client, set.secureURL) == http.StatusOK })
	i := newInstitucion(t, "LAB010101TL1")
	i.Post(t, "/cliente/sandbox/ping", nil).Want(t, http.StatusOK)
	// What comes without a certificate gets no answer.
	plain := []string{"exec", "--no-TTY"}
	for _, setting := range []string{"TLS_SERVER_CA_FILE", "TLS_CLIENT_CA_FILE", "TLS_CERT_FILE", "TLS_KEY_FILE"} {
		plain = append(plain, "--env", setting+"=")
	}
	_, err = set.compose(t.Context(), "", append(plain, "integracion", "/integracion", "empresas", "listar")...)
	if err == nil || !strings.Contains(err.Error(), "exit status 4") {
		t.Errorf("an operator in plain text: %v", err)
	}
	pass("the certificate of the files is the public one, and the services speak by TLS alone")
}

func health(client *http.Client, url string) int {
	res, err := client.Get(url + "/health")
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// client believes the authority that caddy made for localhost.
func (c *conjunto) client(t *testing.T) *http.Client {
	t.Helper()
	file := filepath.Join(t.TempDir(), "root.crt")
	_, err := c.compose(t.Context(), "", "cp", "caddy:/data/caddy/pki/authorities/local/root.crt", file)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		t.Fatal("caddy's authority has no certificate")
	}
	return &http.Client{Timeout: harness.Limit, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
}

// writeCertificate makes one for localhost, signed by itself.
func writeCertificate(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	err = os.MkdirAll(dir, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "public.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	write(t, filepath.Join(dir, "public-key.pem"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(certificate)
	return pool
}
