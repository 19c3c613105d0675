package cuentas

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

func newApiKeys(t *testing.T) (*ApiKeys, *memory) {
	t.Helper()
	store := newMemory()
	_, err := store.CreateEmpresas(t.Context(), []NuevaEmpresa{{Empresa: Empresa{ID: empresaA}}}, false)
	if err != nil {
		t.Fatal(err)
	}
	return &ApiKeys{
		Store: store, Empresas: store, Caja: plainCaja{}, Used: func(ApiKey) {}, Now: time.Now,
		Mint: func() Acuniada {
			return Acuniada{KeyID: "ABCDEFGHIJKLMNOPQRST", Texto: "secreto", SecretoSHA256: sha256.Sum256([]byte("secreto"))}
		},
	}, store
}

func TestApiKeys_Issue(t *testing.T) {
	keys, _ := newApiKeys(t)
	both, err := keys.Issue(t.Context(), NuevaApiKey{EmpresaID: empresaA, Nombre: "n", Ambitos: []auth.Ambito{auth.AmbitoCliente, auth.AmbitoEventos}})
	if err != nil || both.SecretoWebhook == "" || both.ApiKey.SecretoWebhook.IsZero() {
		t.Errorf("both scopes: %v, %+v", err, both.ApiKey)
	}
	only, err := keys.Issue(t.Context(), NuevaApiKey{EmpresaID: empresaA, Nombre: "n", Ambitos: []auth.Ambito{auth.AmbitoCliente}})
	if err != nil || only.SecretoWebhook != "" || !only.ApiKey.SecretoWebhook.IsZero() {
		t.Errorf("one scope: %v, %+v", err, only.ApiKey)
	}

	refused := map[string]NuevaApiKey{
		"no name":            {EmpresaID: empresaA, Ambitos: []auth.Ambito{auth.AmbitoCliente}},
		"no scope":           {EmpresaID: empresaA, Nombre: "n"},
		"unknown scope":      {EmpresaID: empresaA, Nombre: "n", Ambitos: []auth.Ambito{"todo"}},
		"scope twice":        {EmpresaID: empresaA, Nombre: "n", Ambitos: []auth.Ambito{auth.AmbitoCliente, auth.AmbitoCliente}},
		"expired from birth": {EmpresaID: empresaA, Nombre: "n", Ambitos: []auth.Ambito{auth.AmbitoCliente}, CaducaEn: time.Now().Add(-time.Second).Format(time.RFC3339)},
	}
	for name, nueva := range refused {
		_, err := keys.Issue(t.Context(), nueva)
		if !errs.Is(err, errores.Validacion) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = keys.Issue(t.Context(), NuevaApiKey{EmpresaID: "NADA010101AB1", Nombre: "n", Ambitos: []auth.Ambito{auth.AmbitoCliente}})
	if !errs.Is(err, errores.NoEncontrado) {
		t.Errorf("unknown institution: %v", err)
	}
}

func TestApiKeys_Verify(t *testing.T) {
	right, wrong := sha256.Sum256([]byte("secreto")), sha256.Sum256([]byte("otro"))
	past := time.Now().Add(-time.Minute)
	tests := []struct {
		name   string
		change func(*ApiKey, *Empresa)
		hash   []byte
		want   errores.Motivo
	}{
		{"right", func(*ApiKey, *Empresa) {}, right[:], 0},
		{"wrong secret", func(*ApiKey, *Empresa) {}, wrong[:], errores.CredencialInvalida},
		{"no secret", func(*ApiKey, *Empresa) {}, nil, errores.CredencialInvalida},
		{"revoked", func(k *ApiKey, _ *Empresa) { k.RevocadaEn = past }, right[:], errores.CredencialRevocada},
		{"revoked, wrong secret", func(k *ApiKey, _ *Empresa) { k.RevocadaEn = past }, wrong[:], errores.CredencialInvalida},
		{"expired", func(k *ApiKey, _ *Empresa) { k.CaducaEn = past }, right[:], errores.CredencialCaducada},
		{"expired, wrong secret", func(k *ApiKey, _ *Empresa) { k.CaducaEn = past }, wrong[:], errores.CredencialInvalida},
		{"suspended institution", func(_ *ApiKey, e *Empresa) { e.Estado = EmpresaSuspendida }, right[:], errores.CredencialInvalida},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			keys, store := newApiKeys(t)
			emitida, err := keys.Issue(t.Context(), NuevaApiKey{EmpresaID: empresaA, Nombre: "n", Ambitos: []auth.Ambito{auth.AmbitoCliente}})
			if err != nil {
				t.Fatal(err)
			}
			k, e := emitida.ApiKey, store.empresas[empresaA]
			tt.change(&k, &e)
			store.keys[k.KeyID], store.empresas[empresaA] = k, e

			_, _, err = keys.Verify(t.Context(), k.KeyID, tt.hash)
			if (tt.want == 0) != (err == nil) || err != nil && !errs.Is(err, tt.want) {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
		})
	}
	keys, _ := newApiKeys(t)
	_, _, err := keys.Verify(t.Context(), "unknown", right[:])
	if !errs.Is(err, errores.CredencialInvalida) {
		t.Errorf("unknown key: %v", err)
	}
}
