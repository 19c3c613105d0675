package edge

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/services/process/grpcclient"
)

// dispatch hands the mux a request that has nothing of the client's but the route, the
// body and what [exchange.metadata] lists. grpc-gateway would otherwise heed Grpc-Timeout,
// Grpc-Metadata-*, X-HTTP-Method-Override, TE, the Host, form bodies and query parameters.
func (e *Edge) dispatch(w http.ResponseWriter, r *http.Request) {
	x := of(r)
	x.call.Route = x.route
	x.call.Head = r.Method == http.MethodHead
	x.call.IfNoneMatch = r.Header.Values("If-None-Match")
	x.call.Metadata = x.metadata()
	if x.route.Body == routes.Batch {
		x.call.Metadata.Set(grpcclient.BytesKey, strconv.Itoa(len(x.call.Body)))
	}

	clean := r.WithContext(routes.WithCall(r.Context(), &x.call))
	clean.Method = x.route.Method
	clean.URL = &url.URL{Path: x.decoded}
	clean.Header = http.Header{}
	clean.Host = ""
	clean.RemoteAddr = ""
	clean.Body = x.call.Reader()
	e.mux.ServeHTTP(w, clean)
}
