package routes

import (
	"net/http"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// extra is what contract.md says of an RPC's routes and a google.api.http rule cannot.
type extra struct {
	access       Access
	body         Body
	style        httperr.Style
	success      int // 200 if zero
	status       func(proto.Message) int
	maxRegistros int
}

var extras = map[string]extra{
	registrosv1.RegistroService_Ping_FullMethodName:              {access: APIKey, body: Ignored},
	registrosv1.RegistroService_ValidateRegistros_FullMethodName: {access: APIKey, body: Batch, maxRegistros: 5001},
	registrosv1.RegistroService_SaveLote_FullMethodName:          {access: APIKey, body: Batch, maxRegistros: 5001},
	registrosv1.RegistroService_SaveRegistros_FullMethodName: {access: APIKey, body: Batch, maxRegistros: 101,
		success: http.StatusCreated, status: createdOrOK},

	registrosv1.CasoService_ListCasos_FullMethodName:         {access: APIKey},
	registrosv1.CasoService_ListCoincidencias_FullMethodName: {access: APIKey},
	integracionv1.AvisoService_ListAvisos_FullMethodName:     {access: APIKey},

	integracionv1.SesionService_Login_FullMethodName:                  {access: Open, body: Lenient, style: httperr.Platform},
	integracionv1.ReporteService_ActivateReporte_FullMethodName:       {access: Bearer, body: Lenient, style: httperr.Platform},
	integracionv1.ReporteService_ActivateReportePrueba_FullMethodName: {access: Bearer, body: Lenient, style: httperr.Platform},
	integracionv1.ReporteService_DeactivateReporte_FullMethodName:     {access: Bearer, body: Lenient, style: httperr.Platform},

	integracionv1.ApiKeyService_IssueApiKey_FullMethodName:   {access: Bearer, body: Strict, success: http.StatusCreated},
	integracionv1.ApiKeyService_ListApiKeys_FullMethodName:   {access: Bearer},
	integracionv1.ApiKeyService_RevokeApiKey_FullMethodName:  {access: Bearer},
	integracionv1.EventoService_ReceiveEvento_FullMethodName: {access: APIKey, body: Signed, success: http.StatusAccepted},

	integracionv1.InicioService_GetInicio_FullMethodName: {access: Open},
}

const (
	ordinaryBodyLimit = 1 << 20
	batchBodyLimit    = 16 << 20
)

// bodyLimit is contract.md section 2: by path, so that a new route under it is not forgotten.
func bodyLimit(pattern string) int64 {
	if strings.HasPrefix(pattern, "/cliente/registros") {
		return batchBodyLimit
	}
	return ordinaryBodyLimit
}

func refusesQuery(pattern string) bool {
	return strings.HasPrefix(pattern, "/cliente/")
}

// createdOrOK is the status of SaveRegistros: 201 only if something is new.
func createdOrOK(m proto.Message) int {
	saved, ok := m.(*registrosv1.SaveRegistrosResponse)
	if ok && saved.GetCreados() > 0 {
		return http.StatusCreated
	}
	return http.StatusOK
}
