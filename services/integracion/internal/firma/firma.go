// Package firma verifies the signatures of Standard Webhooks with the specification's own
// library: HMAC-SHA256 over id, time and body, and a tolerance either way ([eventos.Tolerancia]).
package firma

import (
	"errors"
	"net/http"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/eventos"
)

// StandardWebhooks implements [eventos.Firmas].
type StandardWebhooks struct{}

// errNoMatch says no more: the library's errors repeat what the client sent.
var errNoMatch = errors.New("verify signature: it does not match")

// Verify implements [eventos.Firmas]. The time is told to be wrong only to who signed
// right.
func (StandardWebhooks) Verify(secreto cuentas.Secreto, firma eventos.Firma, cuerpo []byte) error {
	webhook, err := standardwebhooks.NewWebhook(string(secreto))
	if err != nil {
		return errors.New("read webhook secret: not base64")
	}
	header := http.Header{}
	header.Set(standardwebhooks.HeaderWebhookID, firma.ID)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, firma.Timestamp)
	header.Set(standardwebhooks.HeaderWebhookSignature, firma.Valor)
	err = webhook.VerifyIgnoringTimestamp(cuerpo, header)
	if err != nil {
		return errNoMatch
	}
	err = webhook.Verify(cuerpo, header)
	if err != nil {
		return eventos.ErrFirmaVieja
	}
	return nil
}

var _ eventos.Firmas = StandardWebhooks{}
