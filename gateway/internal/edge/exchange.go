package edge

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
)

// An exchange is what the edge has found out about one request. Each middleware fills in
// its part before it calls the next.
type exchange struct {
	requestID string
	client    netip.Addr
	secure    bool // the client speaks TLS, to us or to a trusted proxy

	escaped    string            // the path as received, but for its runs of slashes
	below      string            // the same below ROOT_PATH
	found      *routes.Route     // one of the path's, whatever its method; nil for an unknown path
	route      *routes.Route     // the request's
	parameters map[string]string // of the path, unescaped
	instance   string            // the path as clients outside see it
	allow      []string          // the methods of a path that lacks the request's
	probing    bool              // while they are looked for

	credentials credentials
	signature   metadata.MD // of a signed body
	empresa     string      // whose credentials they are, once the service was asked
	counted     bool        // against the limit of the address
	overRate    bool        // and found to be beyond it

	bodyRead bool

	call     routes.Call
	codigo   string // of the refusal that was answered, for the log
	answered int    // the status, known once the answer is complete
	failure  error  // behind a refusal for which we are to blame, for the log
}

type exchangeKey struct{}

func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// of gives the exchange of a request that went through identify.
func of(r *http.Request) *exchange {
	return r.Context().Value(exchangeKey{}).(*exchange)
}

// allowed lists the methods of the path, for headers.
func (x *exchange) allowed() string {
	if x.allow != nil {
		return strings.Join(x.allow, ", ")
	}
	if x.route.Method == http.MethodGet {
		return "GET, HEAD"
	}
	return x.route.Method
}
