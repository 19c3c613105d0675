package postgres_test

import (
	"testing"

	"github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-openapiv2/options"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

func TestMigrations_keysCompareByBytes(t *testing.T) {
	t.Parallel()
	pgtest.New(t, postgres.Migrations).CheckCollations(t)
}

func TestMigrations_limits(t *testing.T) {
	t.Parallel()
	const messages = "enlace.registros.v1."
	pgtest.New(t, postgres.Migrations).CheckLimits(t, map[string]protoreflect.FullName{
		"registros_folio_check":       messages + "Registro.folio",
		"registros_curp_check":        messages + "Registro.curp",
		"registros_tipo_evento_check": messages + "Registro.tipo_evento",
		"casos_curp_check":            messages + "Caso.curp",
	})
}

func TestDiasDeCifras_areWhatTheProtoSays(t *testing.T) {
	t.Parallel()
	dias := (&integracionv1.ListCifrasResponse{}).ProtoReflect().Descriptor().Fields().ByName("dias")
	limits, _ := proto.GetExtension(dias.Options(), options.E_Openapiv2Field).(*options.JSONSchema)
	if limits.GetMaxItems() != registros.DiasDeCifras {
		t.Errorf("figures of %d days are given, the proto says %d", registros.DiasDeCifras, limits.GetMaxItems())
	}
}
