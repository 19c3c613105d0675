package firma

import (
	"encoding/base64"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/enlace-iis/enlace/services/integracion/internal/eventos"
)

// The example of the specification's reference libraries.
const (
	secreto = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	id      = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	cuerpo  = `{"test": 2432232314}`
	firmado = 1614265330
	firmaV1 = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

// at runs a test at the instant of the example plus an offset.
func at(t *testing.T, offset time.Duration, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Unix(firmado, 0).Add(offset)))
		test(t)
	})
}

func sign(t *testing.T, secreto, id string, timestamp int64, cuerpo string) string {
	t.Helper()
	webhook, err := standardwebhooks.NewWebhook(secreto)
	if err != nil {
		t.Fatal(err)
	}
	valor, err := webhook.Sign(id, time.Unix(timestamp, 0), []byte(cuerpo))
	if err != nil {
		t.Fatal(err)
	}
	return valor
}

func TestVerify(t *testing.T) {
	other := "whsec_" + base64.StdEncoding.EncodeToString([]byte("another secret of 32 bytes......"))
	right := sign(t, secreto, id, firmado, cuerpo)
	tests := []struct {
		name   string
		change func(f *eventos.Firma, cuerpo *string)
		ok     bool
	}{
		{"as it was signed", func(*eventos.Firma, *string) {}, true},
		{"several, one right", func(f *eventos.Firma, _ *string) {
			f.Valor = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= " + f.Valor + " v2,x"
		}, true},
		{"several, none right", func(f *eventos.Firma, _ *string) { f.Valor = "v1,AAAA v1,BBBB" }, false},
		{"last digit off", func(f *eventos.Firma, _ *string) { f.Valor = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OA=" }, false},
		{"another version", func(f *eventos.Firma, _ *string) { f.Valor = "v2" + f.Valor[2:] }, false},
		{"no version", func(f *eventos.Firma, _ *string) { f.Valor = f.Valor[3:] }, false},
		{"another secret", func(f *eventos.Firma, _ *string) { f.Valor = sign(t, other, id, firmado, cuerpo) }, false},
		{"another id", func(f *eventos.Firma, _ *string) { f.ID = "msg_otro" }, false},
		{"another time", func(f *eventos.Firma, _ *string) { f.Timestamp = strconv.Itoa(firmado + 1) }, false},
		{"time that is none", func(f *eventos.Firma, _ *string) { f.Timestamp = "ayer" }, false},
		{"time out of range", func(f *eventos.Firma, _ *string) { f.Timestamp = "99999999999999999999" }, false},
		{"another body", func(_ *eventos.Firma, c *string) { *c += " " }, false},
		{"empty", func(f *eventos.Firma, _ *string) { f.Valor = "" }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at(t, 0, func(t *testing.T) {
				f, body := eventos.Firma{ID: id, Timestamp: strconv.Itoa(firmado), Valor: right}, cuerpo
				tt.change(&f, &body)
				err := StandardWebhooks{}.Verify(secreto, f, []byte(body))
				if (err == nil) != tt.ok || errors.Is(err, eventos.ErrFirmaVieja) {
					t.Errorf("error = %v, want ok %v", err, tt.ok)
				}
			})
		})
	}
}

func TestVerify_windowOfTime(t *testing.T) {
	f := eventos.Firma{ID: id, Timestamp: strconv.Itoa(firmado), Valor: sign(t, secreto, id, firmado, cuerpo)}
	tests := map[time.Duration]bool{
		0:                                 true,
		eventos.Tolerancia:                true,
		-eventos.Tolerancia:               true,
		eventos.Tolerancia + time.Second:  false,
		-eventos.Tolerancia - time.Second: false,
		24 * time.Hour:                    false,
		-24 * time.Hour:                   false,
	}
	for offset, ok := range tests {
		at(t, offset, func(t *testing.T) {
			err := StandardWebhooks{}.Verify(secreto, f, []byte(cuerpo))
			if ok && err != nil || !ok && !errors.Is(err, eventos.ErrFirmaVieja) {
				t.Errorf("%s later: %v", offset, err)
			}
		})
	}
}

func TestVerify_vectorOfTheSpecification(t *testing.T) {
	at(t, time.Minute, func(t *testing.T) {
		err := StandardWebhooks{}.Verify(secreto, eventos.Firma{ID: id, Timestamp: strconv.Itoa(firmado), Valor: firmaV1}, []byte(cuerpo))
		if err != nil {
			t.Error(err)
		}
	})
}
