package backend

import (
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// A call that no replica has begun is sent again by gRPC itself, whatever it is; that is all
// that an orderly restart needs. The question below is what to do about UNAVAILABLE from a
// replica that may have done the work before it went away.

// repeatable are the RPCs that are sent again then: they change nothing. A list is only
// opened again before its first message.
var repeatable = []string{
	accesov1.AccesoService_CheckAcceso_FullMethodName,
	registrosv1.RegistroService_Ping_FullMethodName,
	registrosv1.RegistroService_ValidateRegistros_FullMethodName,
	registrosv1.CasoService_ListCasos_FullMethodName,
	registrosv1.CasoService_ListCoincidencias_FullMethodName,
	integracionv1.AvisoService_ListAvisos_FullMethodName,
	integracionv1.ApiKeyService_ListApiKeys_FullMethodName,
	integracionv1.InicioService_GetInicio_FullMethodName,
}

// once maps the RPCs that are not to what a second call would do. The data would survive it,
// for every write is idempotent; its client would not understand the answer, or an
// authority the evidence. So the client decides, who knows that it repeats itself.
var once = map[string]string{
	registrosv1.RegistroService_SaveRegistros_FullMethodName:          "answers sin_cambios to who has just created something",
	registrosv1.RegistroService_SaveLote_FullMethodName:               "answers sin_cambios to who has just created something",
	integracionv1.EventoService_ReceiveEvento_FullMethodName:          "answers duplicado to who sent the event once",
	integracionv1.ApiKeyService_IssueApiKey_FullMethodName:            "makes a second key, and nobody learns the first",
	integracionv1.ApiKeyService_RevokeApiKey_FullMethodName:           "writes a second entry into the Bitácora",
	integracionv1.SesionService_Login_FullMethodName:                  "counts a second wrong login against the limit",
	integracionv1.ReporteService_ActivateReporte_FullMethodName:       "leaves a second Aviso, and after a deactivation begins another cycle",
	integracionv1.ReporteService_ActivateReportePrueba_FullMethodName: "leaves a second Aviso",
	integracionv1.ReporteService_DeactivateReporte_FullMethodName:     "leaves a second Aviso, and after an activation ends another cycle",
}
