package edge

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/process/header"
)

// signatureHeaders are what Standard Webhooks signs a body with.
var signatureHeaders = []string{header.WebhookID, header.WebhookTimestamp, header.WebhookSignature}

// carry makes metadata of headers, the only ones that become any: the credentials of a protected
// route, and the signature of a signed body. It refuses a request that lacks them or brings what gRPC
// cannot even carry. All else about them is for the services to judge.
func (e *Edge) carry(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route := matchOf(r.Context()).route
		md, _ := metadata.FromOutgoingContext(r.Context())
		if route.Access != routes.Open {
			given := false
			for _, name := range []string{header.ApiKey, header.Authorization} {
				values := r.Header.Values(name)
				md.Append(name, values...)
				given = given || slices.ContainsFunc(values, func(v string) bool { return strings.TrimSpace(v) != "" })
			}
			refusal := (*routes.Error)(nil)
			switch {
			case slices.ContainsFunc(slices.Concat(md[header.ApiKey], md[header.Authorization]), isUnprintable):
				refusal = routes.NewError(errores.CredencialInvalida, errores.DetalleCredencialInvalida)
			case !given:
				refusal = routes.NewError(errores.CredencialAusente, missingCredential(route))
			}
			if refusal != nil {
				e.answer(w, r, cmp.Or(e.checkDireccion(r), refusal))
				return
			}
		}
		signed := true
		for _, name := range signatureHeaders {
			values := r.Header.Values(name)
			unfit := func(v string) bool { return strings.TrimSpace(v) == "" || isUnprintable(v) }
			if route.Body == routes.Signed && len(values) > 0 && !slices.ContainsFunc(values, unfit) {
				md[name] = values
			} else {
				signed = false
			}
		}
		r = r.WithContext(metadata.NewOutgoingContext(r.Context(), md))
		if route.Body == routes.Signed && !signed {
			// Whether it is right can only be told with the body, whether there is one comes before it.
			e.refuse(w, r, routes.NewError(errores.CredencialAusente, errores.DetalleSinFirma))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isUnprintable(value string) bool { return !header.IsPrintable(value) }

func missingCredential(route *routes.Route) string {
	switch {
	case route.Style == routes.Platform:
		return "Token no proporcionado" // the manual's own words (7.4)
	case route.Access == routes.APIKey:
		return "Falta la llave de la institución en la cabecera X-API-Key."
	default:
		return "Falta el token en la cabecera Authorization."
	}
}

// credentialsOf tells the senders of credentials apart, good or not.
func credentialsOf(ctx context.Context) string {
	md, _ := metadata.FromOutgoingContext(ctx)
	return strings.Join(slices.Concat(md[header.ApiKey], md[header.Authorization]), "\n")
}

// callMetadata is the mux's annotator: the call of the RPC carries what carry made, and of a batch
// its size.
func callMetadata(ctx context.Context, r *http.Request) metadata.MD {
	md, _ := metadata.FromOutgoingContext(ctx)
	if matchOf(ctx).route.Body == routes.Batch {
		md.Set(header.Bytes, strconv.Itoa(len(callOf(r).Body)))
	}
	return md
}
