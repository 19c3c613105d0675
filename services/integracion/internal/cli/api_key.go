package cli

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/enlace-iis/enlace/services/integracion/internal/app"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// apiKeyJSON is a key as it is printed, the way the contract shows it (section 5).
type apiKeyJSON struct {
	KeyID       string            `json:"key_id"`
	IDEmpresa   tenant.EmpresaID  `json:"id_empresa"`
	Nombre      string            `json:"nombre"`
	Ambitos     []auth.Ambito     `json:"ambitos"`
	Estado      cuentas.EstadoKey `json:"estado"`
	Prefijo     string            `json:"prefijo"`
	CreadaEn    time.Time         `json:"creada_en"`
	CaducaEn    *time.Time        `json:"caduca_en"`
	UltimoUsoEn *time.Time        `json:"ultimo_uso_en"`
	RevocadaEn  *time.Time        `json:"revocada_en"`
}

// emitidaJSON adds the secrets of a new key, which are shown once.
type emitidaJSON struct {
	apiKeyJSON
	ApiKey         string  `json:"api_key"`
	SecretoWebhook *string `json:"secreto_webhook"`
}

func printedApiKey(k cuentas.ApiKey) apiKeyJSON {
	return apiKeyJSON{
		KeyID:       k.KeyID,
		IDEmpresa:   k.EmpresaID,
		Nombre:      k.Nombre,
		Ambitos:     k.Ambitos,
		Estado:      k.Estado(time.Now()),
		Prefijo:     k.Prefijo,
		CreadaEn:    k.CreadaEn.UTC(),
		CaducaEn:    nullTime(k.CaducaEn),
		UltimoUsoEn: nullTime(k.UltimoUsoEn),
		RevocadaEn:  nullTime(k.RevocadaEn),
	}
}

func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func issueApiKey(flags *pflag.FlagSet) action {
	id := flags.String("id-empresa", "", "`RFC` con homoclave de la institución")
	nombre := flags.String("nombre", "", "`nombre` de la llave: para qué es")
	ambitos := flags.String("ambitos", "", "cliente, eventos o ambos, unidos por una coma")
	caduca := flags.String("caduca-en", "", "`instante` en que caduca (RFC 3339); sin él, nunca")
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		nueva := cuentas.NuevaApiKey{EmpresaID: tenant.EmpresaID(*id), Nombre: *nombre, CaducaEn: *caduca}
		for ambito := range strings.SplitSeq(*ambitos, ",") {
			nueva.Ambitos = append(nueva.Ambitos, auth.Ambito(strings.TrimSpace(ambito)))
		}
		emitida, err := op.ApiKeys.Issue(ctx, nueva)
		if err != nil {
			return nil, err
		}
		printed := emitidaJSON{apiKeyJSON: printedApiKey(emitida.ApiKey), ApiKey: string(emitida.Texto)}
		if emitida.SecretoWebhook != "" {
			printed.SecretoWebhook = new(string(emitida.SecretoWebhook))
		}
		return printed, nil
	}
}

func listApiKeys(flags *pflag.FlagSet) action {
	id := flags.String("id-empresa", "", "`RFC` con homoclave de la institución")
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		keys, err := op.ApiKeys.List(ctx, tenant.EmpresaID(*id))
		printed := make([]apiKeyJSON, len(keys))
		for i, k := range keys {
			printed[i] = printedApiKey(k)
		}
		return map[string]any{"api_keys": printed}, err
	}
}

func revokeApiKey(flags *pflag.FlagSet) action {
	id := flags.String("key-id", "", "`identificador` público de la llave")
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		key, err := op.ApiKeys.Revoke(ctx, *id)
		return printedApiKey(key), err
	}
}
