package edge

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/grpc/metadata"
)

// metadata is the closed list of what a service is told beside the message. Everything
// else that a client sends as a header ends here.
func (x *exchange) metadata() metadata.MD {
	md := metadata.MD{
		"x-request-id": {x.requestID},
		"x-cliente-ip": {x.client.String()},
	}
	if len(x.credentials.apiKeys) > 0 {
		md["x-api-key"] = x.credentials.apiKeys
	}
	if len(x.credentials.authorizations) > 0 {
		md["authorization"] = x.credentials.authorizations
	}
	if empresa := x.direccion(); empresa != "" {
		// Binary, because an RFC may have an Ñ.
		md["x-direccion-bin"] = []string{empresa}
	}
	maps.Copy(md, x.signature)
	return md
}

// direccion is the institution whose own address the request came to, or "". Whether there
// is such an institution comes before its credential (contract.md 8: 404 before 401).
func (x *exchange) direccion() string {
	if x.route == nil || !strings.HasPrefix(x.route.Pattern, "/i/{id_empresa}/") {
		return ""
	}
	empresa, _, _ := strings.Cut(strings.TrimPrefix(x.decoded, "/i/"), "/")
	return empresa
}

// signatureHeaders are what Standard Webhooks signs a body with.
var signatureHeaders = []string{"webhook-id", "webhook-timestamp", "webhook-signature"}

// signatureOf takes the signature of a signed body. What gRPC cannot carry is left out: the
// signature is then incomplete, and the service says so.
func signatureOf(r *http.Request) metadata.MD {
	md := metadata.MD{}
	for _, name := range signatureHeaders {
		values := r.Header.Values(name)
		if len(values) > 0 && !slices.ContainsFunc(values, func(v string) bool { return !isPrintableASCII(v) }) {
			md[name] = values
		}
	}
	return md
}
