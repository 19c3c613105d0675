package postgres

import (
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/enlace-iis/enlace/services/internal/pgtest"
)

func TestMigrations_keysCompareByBytes(t *testing.T) {
	t.Parallel()
	pgtest.New(t, Migrations).CheckCollations(t)
}

func TestMigrations_limits(t *testing.T) {
	t.Parallel()
	const messages = "enlace.integracion.v1."
	pgtest.New(t, Migrations).CheckLimits(t, map[string]protoreflect.FullName{
		"empresas_id_check":                   messages + "IssueApiKeyRequest.id_empresa",
		"empresas_nombre_check":               messages + "NuevaEmpresa.nombre",
		"empresas_tipo_evento_neutro_check":   messages + "NuevaEmpresa.tipo_evento_neutro",
		"empresas_institucion_id_check":       messages + "NuevaEmpresa.institucion_id",
		"usuarios_usuario_check":              messages + "CreateUsuarioRequest.usuario",
		"api_keys_key_id_check":               "",
		"api_keys_nombre_check":               messages + "IssueApiKeyRequest.nombre",
		"reportes_reporte_id_check":           messages + "Activacion.id",
		"reportes_sin_abrir_reporte_id_check": messages + "Activacion.id",
		"reportes_curp_check":                 messages + "Activacion.curp",
		"eventos_id_check":                    messages + "EventoFirmado.id",
		"bitacora_accion_check":               "",
		"tokens_anulados_token_check":         "",
	})
}
