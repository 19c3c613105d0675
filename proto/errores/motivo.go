package errores

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
	opcionesv1 "github.com/enlace-iis/enlace/proto/gen/enlace/opciones/v1"
)

// Motivo is the reason of the public contract; contract.md section 3 lists them.
type Motivo = erroresv1.Motivo

// The reasons, under shorter names.
const (
	JSONInvalido          = erroresv1.Motivo_MOTIVO_JSON_INVALIDO
	ParametroNoAdmitido   = erroresv1.Motivo_MOTIVO_PARAMETRO_NO_ADMITIDO
	CredencialAusente     = erroresv1.Motivo_MOTIVO_CREDENCIAL_AUSENTE
	CredencialInvalida    = erroresv1.Motivo_MOTIVO_CREDENCIAL_INVALIDA
	CredencialRevocada    = erroresv1.Motivo_MOTIVO_CREDENCIAL_REVOCADA
	CredencialCaducada    = erroresv1.Motivo_MOTIVO_CREDENCIAL_CADUCADA
	SinPermiso            = erroresv1.Motivo_MOTIVO_SIN_PERMISO
	NoEncontrado          = erroresv1.Motivo_MOTIVO_NO_ENCONTRADO
	MetodoNoPermitido     = erroresv1.Motivo_MOTIVO_METODO_NO_PERMITIDO
	Conflicto             = erroresv1.Motivo_MOTIVO_CONFLICTO
	CuerpoDemasiadoGrande = erroresv1.Motivo_MOTIVO_CUERPO_DEMASIADO_GRANDE
	TipoNoAdmitido        = erroresv1.Motivo_MOTIVO_TIPO_NO_ADMITIDO
	LoteVacio             = erroresv1.Motivo_MOTIVO_LOTE_VACIO
	LoteExcedido          = erroresv1.Motivo_MOTIVO_LOTE_EXCEDIDO
	Validacion            = erroresv1.Motivo_MOTIVO_VALIDACION
	DemasiadasSolicitudes = erroresv1.Motivo_MOTIVO_DEMASIADAS_SOLICITUDES
	Interno               = erroresv1.Motivo_MOTIVO_INTERNO
	NoDisponible          = erroresv1.Motivo_MOTIVO_NO_DISPONIBLE
	TiempoAgotado         = erroresv1.Motivo_MOTIVO_TIEMPO_AGOTADO
	SesionAntigua         = erroresv1.Motivo_MOTIVO_SESION_ANTIGUA
	CuerpoLento           = erroresv1.Motivo_MOTIVO_CUERPO_LENTO
	CuotaAgotada          = erroresv1.Motivo_MOTIVO_CUOTA_AGOTADA
)

// falla is what errores.proto says of a Motivo, read once.
type falla struct {
	*opcionesv1.Falla
	code codes.Code
}

var fallas = readFallas()

// readFallas panics on a Motivo that errores.proto leaves without its options: that is a
// mistake of ours, which every start then shows.
func readFallas() map[Motivo]falla {
	read := map[Motivo]falla{}
	values := erroresv1.Motivo(0).Descriptor().Values()
	for i := range values.Len() {
		value := values.Get(i)
		if motivo := Motivo(value.Number()); motivo != erroresv1.Motivo_MOTIVO_UNSPECIFIED {
			read[motivo] = fallaOf(value)
		}
	}
	return read
}

func fallaOf(value protoreflect.EnumValueDescriptor) falla {
	said, _ := proto.GetExtension(value.Options(), opcionesv1.E_Falla).(*opcionesv1.Falla)
	var code codes.Code
	err := code.UnmarshalJSON([]byte(`"` + said.GetGrpc() + `"`))
	if err != nil || said.GetHttp() == 0 {
		panic(fmt.Sprintf("errores.proto: %s has no HTTP status or no gRPC code", value.Name()))
	}
	return falla{Falla: said, code: code}
}

// Motivos are all that this build knows, in the contract's order.
func Motivos() []Motivo {
	return slices.Sorted(maps.Keys(fallas))
}

// Known tells whether this build knows a reason.
func Known(motivo Motivo) bool {
	_, known := fallas[motivo]
	return known
}

// Codigo is the reason as clients read it in HTTP, and as logs and metrics show it:
// "validacion".
func Codigo(motivo Motivo) string {
	return strings.ToLower(Reason(motivo))
}

// Titulo is what a problem of that reason is called.
func Titulo(motivo Motivo) string {
	return fallas[motivo].GetTitulo()
}

// Causa tells why it happens, and Cura what to do; both are Markdown.
func Causa(motivo Motivo) string {
	return fallas[motivo].GetCausa()
}

// Cura is the other half of [Causa].
func Cura(motivo Motivo) string {
	return fallas[motivo].GetCura()
}

// Code is the gRPC code that goes with a reason; Internal with one that this build does not
// know. Clients should read the reason: the code is for the tools that know gRPC alone.
func Code(motivo Motivo) codes.Code {
	known, ok := fallas[motivo]
	if !ok {
		return codes.Internal
	}
	return known.code
}

// Status is the HTTP status of a reason on the routes of institutions and operators; 500 for
// one that this build does not know.
func Status(motivo Motivo) int {
	known, ok := fallas[motivo]
	if !ok {
		return http.StatusInternalServerError
	}
	return int(known.GetHttp())
}

// PlatformStatus is the status on the routes that the national platform calls. Its manual
// (8.1 to 8.4) knows one status for whatever is wrong with a request's content, and one for
// whatever takes too long.
func PlatformStatus(motivo Motivo) int {
	status := Status(motivo)
	switch status {
	case http.StatusUnprocessableEntity, http.StatusUnsupportedMediaType, http.StatusConflict:
		return http.StatusBadRequest
	case http.StatusRequestTimeout:
		return http.StatusGatewayTimeout
	default:
		return status
	}
}
