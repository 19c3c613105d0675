package edge

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/process/header"
)

// metadata is the closed list of what a service is told beside the message. Everything
// else that a client sends as a header ends here.
func (x *exchange) metadata() metadata.MD {
	md := metadata.MD{
		header.RequestID: {x.requestID},
		header.ClienteIP: {x.client.String()},
	}
	if len(x.credentials.apiKeys) > 0 {
		md[header.ApiKey] = x.credentials.apiKeys
	}
	if len(x.credentials.authorizations) > 0 {
		md[header.Authorization] = x.credentials.authorizations
	}
	if empresa := x.direccion(); empresa != "" {
		md[header.Direccion] = []string{empresa}
	}
	maps.Copy(md, x.signature)
	return md
}

// callMetadata is what the call of the RPC carries: of a batch its size too.
func (x *exchange) callMetadata() metadata.MD {
	md := x.metadata()
	if x.route.Body == routes.Batch {
		md.Set(header.Bytes, strconv.Itoa(len(x.call.Body)))
	}
	return md
}

// direccion is the institution whose own address the request came to, or "". Whether there
// is such an institution comes before its credential (contract.md 8: 404 before 401).
func (x *exchange) direccion() string {
	if !strings.HasPrefix(x.pattern(), "/i/{id_empresa}/") {
		return ""
	}
	return x.parameters["id_empresa"]
}

// signatureHeaders are what Standard Webhooks signs a body with.
var signatureHeaders = []string{header.WebhookID, header.WebhookTimestamp, header.WebhookSignature}

// wantSignature refuses a request to a route of signed bodies that brings no signature:
// whether it is right can only be told with the body, whether there is one comes before it.
func (e *Edge) wantSignature(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := of(r)
		if x.route.Body == routes.Signed {
			x.signature = signatureOf(r)
			if len(x.signature) < len(signatureHeaders) {
				e.refuse(w, r, httperr.New(errores.CredencialAusente, errores.DetalleSinFirma))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// signatureOf takes the signature of a signed body. A header that is blank or that gRPC
// cannot carry is left out.
func signatureOf(r *http.Request) metadata.MD {
	md := metadata.MD{}
	for _, name := range signatureHeaders {
		values := r.Header.Values(name)
		unfit := func(v string) bool { return strings.TrimSpace(v) == "" || !header.IsPrintable(v) }
		if len(values) > 0 && !slices.ContainsFunc(values, unfit) {
			md[name] = values
		}
	}
	return md
}
