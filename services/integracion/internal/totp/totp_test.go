package totp

import (
	"encoding/base32"
	"net/url"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
)

// rfcSecret is the one of RFC 6238, appendix B.
var rfcSecret = cuentas.Secreto(base32.StdEncoding.EncodeToString([]byte("12345678901234567890")))

// TestMatch_vectorsOfTheRFC takes the last six of the eight digits of appendix B.
func TestMatch_vectorsOfTheRFC(t *testing.T) {
	vectors := map[int64]cuentas.Secreto{
		59:          "287082",
		1111111109:  "081804",
		1111111111:  "050471",
		1234567890:  "005924",
		2000000000:  "279037",
		20000000000: "353130",
	}
	for at, codigo := range vectors {
		paso, ok := Codigos{}.Match(rfcSecret, codigo, time.Unix(at, 0))
		if !ok || paso != at/30 {
			t.Errorf("at %d: step %d, %v", at, paso, ok)
		}
	}
}

func TestMatch_windowOfTime(t *testing.T) {
	const at, codigo = 1234567890, "005924"
	for offset, want := range map[time.Duration]bool{
		0: true, 30 * time.Second: true, -30 * time.Second: true, time.Minute: false, -31 * time.Second: false, time.Hour: false,
	} {
		_, ok := Codigos{}.Match(rfcSecret, codigo, time.Unix(at, 0).Add(offset))
		if ok != want {
			t.Errorf("%s later: %v", offset, ok)
		}
	}
}

func TestMatch_refuses(t *testing.T) {
	for _, codigo := range []cuentas.Secreto{"", "005925", "5924", "89005924", "abcdef"} {
		_, ok := Codigos{}.Match(rfcSecret, codigo, time.Unix(1234567890, 0))
		if ok {
			t.Errorf("%q matches", string(codigo))
		}
	}
}

func TestNew(t *testing.T) {
	secreto, address, err := Codigos{}.New("operadora@centro")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := url.Parse(string(address))
	if err != nil || parsed.Scheme != "otpauth" || parsed.Host != "totp" || parsed.Query().Get("secret") != string(secreto) {
		t.Errorf("made %s, %v", string(address), err)
	}
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(string(secreto))
	if err != nil || len(raw) != lenSecret {
		t.Errorf("secret of %d bytes, %v", len(raw), err)
	}
}
