package secreto

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/secreto/secretotest"
	"github.com/enlace-iis/enlace/services/internal/huella"
)

func newCaja(t *testing.T, keys string) *Caja {
	t.Helper()
	caja, err := NewCaja(keys)
	if err != nil {
		t.Fatal(err)
	}
	return caja
}

func TestCaja_opensWhatItSealed(t *testing.T) {
	caja := newCaja(t, secretotest.NewKey("k1"))
	sealed, err := caja.Seal("la clave", "aqui")
	if err != nil {
		t.Fatal(err)
	}
	if sealed.Llave != "k1" || bytes.Contains(sealed.Datos, []byte("la clave")) {
		t.Errorf("sealed %+v", sealed)
	}
	opened, err := caja.Open(sealed, "aqui")
	if err != nil || opened != "la clave" {
		t.Errorf("opened %q, %v", string(opened), err)
	}
	again, err := caja.Seal("la clave", "aqui")
	if err != nil || bytes.Equal(sealed.Datos, again.Datos) {
		t.Errorf("sealing twice gave the same (%v)", err)
	}
}

func TestCaja_Open_refuses(t *testing.T) {
	caja := newCaja(t, secretotest.NewKey("k1"))
	sealed, err := caja.Seal("la clave", "aqui")
	if err != nil {
		t.Fatal(err)
	}
	altered := bytes.Clone(sealed.Datos)
	altered[len(altered)-1] ^= 1
	tests := map[string]struct {
		caja     *Caja
		sellado  cuentas.Sellado
		contexto string
	}{
		"another place":                {caja, sealed, "alli"},
		"altered":                      {caja, cuentas.Sellado{Llave: "k1", Datos: altered}, "aqui"},
		"too short":                    {caja, cuentas.Sellado{Llave: "k1", Datos: []byte("x")}, "aqui"},
		"key that is not there":        {newCaja(t, secretotest.NewKey("k2")), sealed, "aqui"},
		"other key with the same name": {newCaja(t, secretotest.NewKey("k1")), sealed, "aqui"},
	}
	for name, tt := range tests {
		opened, err := tt.caja.Open(tt.sellado, tt.contexto)
		if err == nil || opened != "" {
			t.Errorf("%s: opened %q, %v", name, string(opened), err)
		}
	}
}

func TestCaja_rotates(t *testing.T) {
	older, newer := secretotest.NewKey("k1"), secretotest.NewKey("k2")
	sealed, err := newCaja(t, older).Seal("la clave", "aqui")
	if err != nil {
		t.Fatal(err)
	}
	both := newCaja(t, newer+","+older)
	opened, err := both.Open(sealed, "aqui")
	if err != nil || opened != "la clave" {
		t.Errorf("opened %q, %v", string(opened), err)
	}
	fresh, err := both.Seal("la clave", "aqui")
	if err != nil || fresh.Llave != "k2" {
		t.Errorf("sealed with %q, %v", fresh.Llave, err)
	}
}

func TestNewCaja_refusesWithoutShowingKeys(t *testing.T) {
	short := base64.StdEncoding.EncodeToString([]byte("secret of 16 by."))
	for _, keys := range []string{"", "k1", "k1:", ":" + short, "k1:" + short, "k1:no base64!", secretotest.NewKey("k1") + ",", secretotest.NewKey("k1") + "," + secretotest.NewKey("k1")} {
		_, err := NewCaja(keys)
		if err == nil {
			t.Errorf("%q was accepted", keys)
			continue
		}
		if strings.Contains(err.Error(), short) {
			t.Errorf("error shows a key: %v", err)
		}
	}
}

func TestArgon2(t *testing.T) {
	hasher := NewArgon2(huella.New("secreto"))
	hash := hasher.Hash("clave")
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("hash = %s", hash)
	}
	if !hasher.Verify("clave", hash) || hasher.Verify("otra", hash) || hasher.Hash("clave") == hash {
		t.Error("a hash does not tell claves apart, or has no salt")
	}
	for _, stored := range []string{"", "x", hash[:len(hash)-3], "$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA", prefix + "!$!"} {
		if hasher.Verify("clave", stored) {
			t.Errorf("%q matches", stored)
		}
	}
}

func TestArgon2_Fingerprint_dependsOnClaveAndSecretAlone(t *testing.T) {
	fingerprint := func(secret string, clave cuentas.Secreto) string {
		return string(NewArgon2(huella.New(secret)).Fingerprint(clave))
	}
	first := fingerprint("s1", "clave")
	if len(first) != lenHash || first != fingerprint("s1", "clave") {
		t.Error("a fingerprint changes, or has another length than the column takes")
	}
	if first == fingerprint("s1", "otra") || first == fingerprint("s2", "clave") {
		t.Error("a fingerprint does not depend on the clave or the secret")
	}
}

func TestHuellas_kindsDoNotMix(t *testing.T) {
	h := huella.New("s")
	if bytes.Equal(h.Huella("a", "bc"), h.Huella("ab", "c")) {
		t.Error("kind and value run into each other")
	}
}
