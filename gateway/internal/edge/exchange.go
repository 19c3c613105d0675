package edge

import (
	"context"
	"net/http"
	"net/netip"

	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
)

// An exchange is what the edge has found out about one request. Each middleware fills in
// its part before it calls the next.
type exchange struct {
	requestID string
	client    netip.Addr
	secure    bool // the client speaks TLS, to us or to a trusted proxy

	method   string       // the client's, while the mux is asked, see findPath
	escaped  string       // the path as received, but for its runs of slashes
	below    string       // the same below ROOT_PATH
	path     *routes.Path // nil for an unknown path
	route    *routes.Route
	instance string // the path as clients outside see it

	credentials credentials
	signature   metadata.MD // of a signed body
	empresa     string      // whose credentials they are, once the service was asked
	counted     bool        // against the limit of the address
	overRate    bool        // and found to be beyond it

	admission admission
	bodyRead  bool

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
