package grpcapi_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

const empresa = "LAB010101AB1"

// keyFixture is a running service with an operator's token.
type keyFixture struct {
	*integraciontest.Servicio
	client   integracionv1.ApiKeyServiceClient
	operador context.Context
}

func newKeyFixture(t *testing.T) keyFixture {
	t.Helper()
	s := integraciontest.Start(t, integraciontest.Options{})
	s.CreateEmpresa(empresa, "Laboratorio")
	token := s.Login("operadora", s.CreateUsuario("operadora"))
	return keyFixture{
		Servicio: s,
		client:   integracionv1.NewApiKeyServiceClient(s.Dial()),
		operador: bearer(t, token),
	}
}

func bearer(t *testing.T, token string) context.Context {
	t.Helper()
	return metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token)
}

func (f keyFixture) list(t *testing.T) []*integracionv1.ApiKey {
	t.Helper()
	stream, err := f.client.ListApiKeys(f.operador, &integracionv1.ListApiKeysRequest{IdEmpresa: empresa})
	if err != nil {
		t.Fatal(err)
	}
	var keys []*integracionv1.ApiKey
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return keys
		}
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, chunk.GetApiKeys()...)
	}
}

func TestApiKey_issueListRevoke(t *testing.T) {
	t.Parallel()
	f := newKeyFixture(t)
	if keys := f.list(t); len(keys) != 0 {
		t.Fatalf("%d keys from the start", len(keys))
	}
	caduca := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	older, err := f.client.IssueApiKey(f.operador, &integracionv1.IssueApiKeyRequest{
		IdEmpresa: empresa, Nombre: "  la vieja ", Ambitos: []string{"cliente"}, CaducaEn: caduca.Format(time.RFC3339Nano),
	})
	if err != nil {
		t.Fatal(err)
	}
	if older.SecretoWebhook != nil || older.GetNombre() != "la vieja" || older.GetEstado() != "activa" ||
		older.GetCaducaEn() != caduca.Format("2006-01-02T15:04:05.000Z") {
		t.Errorf("issued %v", older)
	}
	newer, err := f.client.IssueApiKey(f.operador, &integracionv1.IssueApiKeyRequest{
		IdEmpresa: empresa, Nombre: "la nueva", Ambitos: []string{"cliente", "eventos"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(newer.GetApiKey(), "iis_development_"+newer.GetKeyId()+"_") || !strings.HasPrefix(newer.GetSecretoWebhook(), "whsec_") || newer.CaducaEn != nil {
		t.Errorf("issued %v", newer)
	}

	keys := f.list(t)
	ids := []string{keys[0].GetKeyId(), keys[1].GetKeyId()}
	if diff := cmp.Diff([]string{newer.GetKeyId(), older.GetKeyId()}, ids); diff != "" {
		t.Errorf("newest first (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(newer.GetApiKey(), keys[0].GetPrefijo()+"_") || keys[0].RevocadaEn != nil || keys[0].UltimoUsoEn != nil {
		t.Errorf("listed %v", keys[0])
	}

	revoked, err := f.client.RevokeApiKey(f.operador, &integracionv1.RevokeApiKeyRequest{KeyId: older.GetKeyId()})
	if err != nil || revoked.GetApiKey().GetEstado() != "revocada" || revoked.GetApiKey().RevocadaEn == nil {
		t.Fatalf("revoked %v, %v", revoked, err)
	}
	again, err := f.client.RevokeApiKey(f.operador, &integracionv1.RevokeApiKeyRequest{KeyId: older.GetKeyId()})
	if err != nil || again.GetApiKey().GetRevocadaEn() != revoked.GetApiKey().GetRevocadaEn() {
		t.Errorf("revoked again: %v, %v", again, err)
	}
}

func TestApiKey_refusals(t *testing.T) {
	t.Parallel()
	f := newKeyFixture(t)
	_, err := f.client.IssueApiKey(f.operador, &integracionv1.IssueApiKeyRequest{
		Ambitos: []string{"cliente", "todo", "cliente"}, CaducaEn: "2020-01-01T00:00:00Z", Nombre: "n\x00",
	})
	wantFields(t, err, "/id_empresa requerido", "/nombre caracter_no_permitido", "/ambitos/1 valor_no_admitido",
		"/ambitos/2 repetido", "/caduca_en fecha_invalida")
	_, err = f.client.IssueApiKey(f.operador, &integracionv1.IssueApiKeyRequest{
		IdEmpresa: empresa, Nombre: strings.Repeat("ñ", 101), CaducaEn: "2099-01-01",
	})
	wantFields(t, err, "/nombre longitud", "/ambitos requerido", "/caduca_en formato")
	_, err = f.client.IssueApiKey(f.operador, &integracionv1.IssueApiKeyRequest{IdEmpresa: empresa, Ambitos: []string{"cliente"}})
	wantFields(t, err, "/nombre requerido")

	for _, unknown := range []string{"NADA010101AB1", "no es un RFC", "LAB010101AB1\x00"} {
		_, err = f.client.IssueApiKey(f.operador, &integracionv1.IssueApiKeyRequest{IdEmpresa: unknown, Nombre: "n", Ambitos: []string{"cliente"}})
		wantMotivo(t, err, errores.NoEncontrado)
		stream, err := f.client.ListApiKeys(f.operador, &integracionv1.ListApiKeysRequest{IdEmpresa: unknown})
		if err == nil {
			_, err = stream.Recv()
		}
		wantMotivo(t, err, errores.NoEncontrado)
	}
	for _, unknown := range []string{"", "ABCDEFGHIJKLMNOPQRST", "ABCDEFGHIJKLMNOPQRS\x00"} {
		_, err = f.client.RevokeApiKey(f.operador, &integracionv1.RevokeApiKeyRequest{KeyId: unknown})
		wantMotivo(t, err, errores.NoEncontrado)
	}
}

func TestApiKey_isForOperatorsOnly(t *testing.T) {
	t.Parallel()
	f := newKeyFixture(t)
	plataforma := f.Login("PUI", f.SetClaveEntrada(empresa))
	key := f.IssueApiKey(empresa)
	callers := map[string]struct {
		ctx  context.Context
		want errores.Motivo
	}{
		"nobody":       {t.Context(), errores.CredencialAusente},
		"the platform": {bearer(t, plataforma), errores.SinPermiso},
		"a key":        {metadata.AppendToOutgoingContext(t.Context(), "x-api-key", key.Texto), errores.CredencialInvalida},
	}
	for name, caller := range callers {
		t.Run(name, func(t *testing.T) {
			_, err := f.client.IssueApiKey(caller.ctx, &integracionv1.IssueApiKeyRequest{})
			wantMotivo(t, err, caller.want)
			_, err = f.client.RevokeApiKey(caller.ctx, &integracionv1.RevokeApiKeyRequest{KeyId: key.KeyID})
			wantMotivo(t, err, caller.want)
		})
	}
	if keys := f.list(t); len(keys) != 1 || keys[0].GetEstado() != "activa" {
		t.Errorf("listed %v", keys)
	}
}

// TestApiKey_rotation holds that both keys work in between, and that an expiry and a
// revocation are told apart by who has the key.
func TestApiKey_rotation(t *testing.T) {
	t.Parallel()
	f := newKeyFixture(t)
	older, newer := f.IssueApiKey(empresa), f.IssueApiKey(empresa)
	avisos := integracionv1.NewAvisoServiceClient(f.Dial())
	works := func(key string) error {
		stream, err := avisos.ListAvisos(metadata.AppendToOutgoingContext(t.Context(), "x-api-key", key), &integracionv1.ListAvisosRequest{})
		if err != nil {
			return err
		}
		_, err = stream.Recv()
		return err
	}
	for _, key := range []string{older.Texto, newer.Texto} {
		err := works(key)
		if err != nil {
			t.Fatalf("in between: %v", err)
		}
	}
	f.RevokeApiKey(older.KeyID)
	eventually(t, "the refusal of the revoked key", func() bool { return errs.Is(errs.FromStatus(works(older.Texto)), errores.CredencialRevocada) })
	err := works(newer.Texto)
	if err != nil {
		t.Errorf("the other key: %v", err)
	}
	eventually(t, "the last use", func() bool {
		return slices.ContainsFunc(f.list(t), func(k *integracionv1.ApiKey) bool { return k.GetKeyId() == newer.KeyID && k.UltimoUsoEn != nil })
	})
}
