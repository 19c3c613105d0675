package cuentas

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// ApiKey is an institution's key. Its secret is not here: only its SHA-256 is kept, which
// is enough for 256 random bits.
type ApiKey struct {
	KeyID         string
	EmpresaID     tenant.EmpresaID
	Nombre        string
	Ambitos       []auth.Ambito
	Prefijo       string // what of the key may be shown
	SecretoSHA256 [32]byte
	// SecretoWebhook signs events; zero without the scope for them.
	SecretoWebhook Sellado
	CreadaEn       time.Time
	CaducaEn       time.Time // zero: never
	RevocadaEn     time.Time // zero: not revoked
	UltimoUsoEn    time.Time // zero: not used; up to a minute late
}

// EstadoKey is whether a key works.
type EstadoKey string

// The states of a key.
const (
	KeyActiva   EstadoKey = "activa"
	KeyRevocada EstadoKey = "revocada"
	KeyCaducada EstadoKey = "caducada"
)

// Estado tells whether the key works.
func (k ApiKey) Estado(now time.Time) EstadoKey {
	switch {
	case !k.RevocadaEn.IsZero():
		return KeyRevocada
	case k.expired(now):
		return KeyCaducada
	default:
		return KeyActiva
	}
}

func (k ApiKey) expired(now time.Time) bool {
	return !k.CaducaEn.IsZero() && !now.Before(k.CaducaEn)
}

// ApiKeyStore keeps API keys. A missing one is NoEncontrado.
type ApiKeyStore interface {
	CreateApiKey(ctx context.Context, k ApiKey) (ApiKey, error)
	ListApiKeys(ctx context.Context, empresa tenant.EmpresaID) ([]ApiKey, error)
	// RevokeApiKey keeps the first instant when it is repeated.
	RevokeApiKey(ctx context.Context, keyID string) (ApiKey, error)
	// RotateApiKey adds a key and sets the end of the one before, both or neither.
	RotateApiKey(ctx context.Context, before string, end time.Time, fresh ApiKey) (added, ended ApiKey, err error)
	// ListApiKeysPorVencer gives active keys that expire within so long, and have no other one in
	// their place, the next one first.
	ListApiKeysPorVencer(ctx context.Context, within time.Duration) ([]ApiKey, error)
	// FindApiKey finds a key with the institution that it belongs to.
	FindApiKey(ctx context.Context, keyID string) (ApiKey, Empresa, error)
}

// UsoEvery is how far the last use of a key may lag behind.
const UsoEvery = time.Minute

// Acuniada is a key that was just made.
type Acuniada struct {
	KeyID         string
	Prefijo       string
	Texto         Secreto
	SecretoSHA256 [32]byte
}

// ApiKeys issues, revokes and verifies API keys.
type ApiKeys struct {
	Store    ApiKeyStore
	Empresas EmpresaStore
	Caja     Caja
	// Mint makes a new key of this installation's format.
	Mint func() Acuniada
	// Used is told of each key that was used. It must not wait.
	Used func(ApiKey)
	Now  func() time.Time
}

// NuevaApiKey asks for a key.
type NuevaApiKey struct {
	EmpresaID tenant.EmpresaID
	Nombre    string
	Ambitos   []auth.Ambito
	CaducaEn  string // RFC 3339, in the future; empty: never
}

// ApiKeyEmitida is a new key with its secrets, which are shown once.
type ApiKeyEmitida struct {
	ApiKey
	Texto          Secreto
	SecretoWebhook Secreto // empty without the scope for events
}

// Issue makes a key for an institution.
func (s *ApiKeys) Issue(ctx context.Context, n NuevaApiKey) (ApiKeyEmitida, error) {
	n.Nombre = manual.NormalizeTexto(n.Nombre)
	caduca, err := n.validate(s.Now())
	if err != nil {
		return ApiKeyEmitida{}, err
	}
	_, err = s.Empresas.GetEmpresa(ctx, n.EmpresaID)
	if err != nil {
		return ApiKeyEmitida{}, err
	}
	emitida, err := s.mint(n, caduca)
	if err != nil {
		return ApiKeyEmitida{}, err
	}
	emitida.ApiKey, err = s.Store.CreateApiKey(ctx, emitida.ApiKey)
	if err != nil {
		return ApiKeyEmitida{}, err
	}
	return emitida, nil
}

// mint makes a key with its secrets, which nobody keeps yet.
func (s *ApiKeys) mint(n NuevaApiKey, caduca time.Time) (emitida ApiKeyEmitida, err error) {
	acuniada := s.Mint()
	emitida = ApiKeyEmitida{Texto: acuniada.Texto, ApiKey: ApiKey{
		KeyID:         acuniada.KeyID,
		EmpresaID:     n.EmpresaID,
		Nombre:        n.Nombre,
		Ambitos:       n.Ambitos,
		Prefijo:       acuniada.Prefijo,
		SecretoSHA256: acuniada.SecretoSHA256,
		CaducaEn:      caduca,
	}}
	if slices.Contains(n.Ambitos, auth.AmbitoEventos) {
		emitida.SecretoWebhook = newSecretoWebhook()
		emitida.ApiKey.SecretoWebhook, err = s.Caja.Seal(emitida.SecretoWebhook, contextoWebhook(emitida.ApiKey))
		if err != nil {
			return ApiKeyEmitida{}, fmt.Errorf("seal webhook secret: %w", err)
		}
	}
	return emitida, nil
}

// lenSecretoWebhook is within the 24 to 64 bytes of the Standard Webhooks specification.
const lenSecretoWebhook = 32

func newSecretoWebhook() Secreto {
	var secreto [lenSecretoWebhook]byte
	// It never fails, by its contract.
	_, _ = rand.Read(secreto[:])
	return Secreto("whsec_" + base64.StdEncoding.EncodeToString(secreto[:]))
}

// contextoWebhook binds a sealed webhook secret to its key.
func contextoWebhook(k ApiKey) string {
	return "secreto_webhook:" + string(k.EmpresaID) + ":" + k.KeyID
}

// List gives an institution's keys, newest first.
func (s *ApiKeys) List(ctx context.Context, empresa tenant.EmpresaID) ([]ApiKey, error) {
	_, err := s.Empresas.GetEmpresa(ctx, empresa)
	if err != nil {
		return nil, err
	}
	return s.Store.ListApiKeys(ctx, empresa)
}

// Revoke ends a key for good. Repeating it is fine.
func (s *ApiKeys) Revoke(ctx context.Context, keyID string) (ApiKey, error) {
	return s.Store.RevokeApiKey(ctx, keyID)
}

// Verify tells which key was presented and whose it is. Why a key does not work is told
// only to who has its secret; an unknown key, a wrong secret and a suspended institution
// look alike.
func (s *ApiKeys) Verify(ctx context.Context, keyID string, secretoSHA256 []byte) (ApiKey, Empresa, error) {
	key, empresa, err := s.Store.FindApiKey(ctx, keyID)
	if errs.Is(err, errores.NoEncontrado) {
		return ApiKey{}, Empresa{}, errLlaveInvalida()
	}
	if err != nil {
		return ApiKey{}, Empresa{}, err
	}
	if subtle.ConstantTimeCompare(key.SecretoSHA256[:], secretoSHA256) != 1 {
		return ApiKey{}, Empresa{}, errLlaveInvalida()
	}
	err = key.works(empresa, s.Now())
	if err != nil {
		return ApiKey{}, Empresa{}, err
	}
	if s.Now().Sub(key.UltimoUsoEn) > UsoEvery {
		s.Used(key)
	}
	return key, empresa, nil
}

// OpenSecretoWebhook gives the secret with which a key's events are signed, and looks at the
// key once more: for events a revocation works at once.
func (s *ApiKeys) OpenSecretoWebhook(ctx context.Context, keyID string) (Secreto, error) {
	key, empresa, err := s.Store.FindApiKey(ctx, keyID)
	if err != nil {
		return "", err
	}
	err = key.works(empresa, s.Now())
	if err != nil {
		return "", err
	}
	secreto, err := s.Caja.Open(key.SecretoWebhook, contextoWebhook(key))
	if err != nil {
		return "", fmt.Errorf("open webhook secret: %w", err)
	}
	return secreto, nil
}

// works refuses a key that is not to be used, whoever holds it.
func (k ApiKey) works(empresa Empresa, now time.Time) error {
	switch {
	case empresa.Estado != EmpresaActiva:
		return errLlaveInvalida()
	case !k.RevocadaEn.IsZero():
		return errs.New(errores.CredencialRevocada, "La llave fue revocada.")
	case k.expired(now):
		return errs.New(errores.CredencialCaducada, "La llave caducó.")
	default:
		return nil
	}
}

func errLlaveInvalida() error {
	return errs.New(errores.CredencialInvalida, "La llave no es válida.")
}
