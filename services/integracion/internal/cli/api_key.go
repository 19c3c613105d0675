package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
)

func (s *servicio) apiKeys() integracionv1.ApiKeyServiceClient {
	return integracionv1.NewApiKeyServiceClient(s.conn)
}

func issueApiKey(flags *pflag.FlagSet) act {
	id := empresaFlag(flags)
	nombre := flags.String("nombre", "", "`nombre` de la llave: para qué es")
	ambitos := flags.String("ambitos", "", "`cliente,eventos` o uno de ellos: para qué sirve")
	caduca := flags.String("caduca-en", "", "`instante` en que caduca (RFC 3339); sin él, nunca")
	return operate(func(ctx context.Context, s *servicio) error {
		issued, err := s.apiKeys().IssueApiKey(ctx, &integracionv1.IssueApiKeyRequest{
			IdEmpresa: *id, Nombre: *nombre, Ambitos: words(*ambitos), CaducaEn: *caduca,
		})
		if err != nil {
			return err
		}
		return s.showOnce(issued)
	})
}

// words splits at commas.
func words(text string) []string {
	var all []string
	for word := range strings.SplitSeq(text, ",") {
		all = append(all, strings.TrimSpace(word))
	}
	return all
}

func listApiKeys(flags *pflag.FlagSet) act {
	id := empresaFlag(flags)
	return operate(func(ctx context.Context, s *servicio) error {
		stream, err := s.apiKeys().ListApiKeys(ctx, &integracionv1.ListApiKeysRequest{IdEmpresa: *id})
		list := s.NewList("api_keys", "key_id", "nombre", "ambitos", "estado", "creada_en", "caduca_en", "ultimo_uso_en")
		return printAll(list, stream, err, (*integracionv1.ListApiKeysResponse).GetApiKeys)
	})
}

func revokeApiKey(flags *pflag.FlagSet) act {
	id := flags.String("key-id", "", "`identificador` público de la llave")
	return operate(func(ctx context.Context, s *servicio) error {
		answer, err := s.apiKeys().RevokeApiKey(ctx, &integracionv1.RevokeApiKeyRequest{KeyId: *id})
		return s.shown(answer.GetApiKey(), err)
	})
}

func rotateApiKey(flags *pflag.FlagSet) act {
	id := flags.String("key-id", "", "`identificador` público de la llave que se cambia")
	hasta := flags.String("anterior-hasta", "",
		fmt.Sprintf("`instante` hasta el que sirven las dos (RFC 3339); sin él, %d días", cuentas.UsualOverlap/(24*time.Hour)))
	caduca := flags.String("caduca-en", "", "`instante` en que caduca la nueva (RFC 3339); sin él, nunca")
	return operate(func(ctx context.Context, s *servicio) error {
		answer, err := s.apiKeys().RotateApiKey(ctx, &integracionv1.RotateApiKeyRequest{
			KeyId: *id, Rotacion: &integracionv1.Rotacion{AnteriorHasta: *hasta, CaducaEn: *caduca},
		})
		if err != nil {
			return err
		}
		return s.showOnce(answer)
	})
}

func listPorVencer(flags *pflag.FlagSet) act {
	dias := flags.Uint("dias", cuentas.UsualDias, "dentro de cuántos `días`")
	return operate(func(ctx context.Context, s *servicio) error {
		stream, err := s.apiKeys().ListApiKeysPorVencer(ctx, &integracionv1.ListApiKeysPorVencerRequest{Dias: strconv.FormatUint(uint64(*dias), 10)})
		return printAll(s.NewList("api_keys", columnasPorVencer...), stream, err, (*integracionv1.ListApiKeysPorVencerResponse).GetApiKeys)
	})
}

var columnasPorVencer = []string{"caduca_en", "id_empresa", "key_id", "nombre", "ambitos", "ultimo_uso_en"}
