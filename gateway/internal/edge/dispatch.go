package edge

import (
	"net/http"
	"strconv"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/services/process/header"
)

// dispatch hands the route a call that has nothing of the client's but the parameters of the
// path, the body and what [exchange.metadata] lists.
func (e *Edge) dispatch(w http.ResponseWriter, r *http.Request) {
	x := of(r)
	x.call.Head = r.Method == http.MethodHead
	x.call.IfNoneMatch = r.Header.Values("If-None-Match")
	x.call.Metadata = x.metadata()
	if x.route.Body == routes.Batch {
		x.call.Metadata.Set(header.Bytes, strconv.Itoa(len(x.call.Body)))
	}
	err := x.route.Serve(w, r, &x.call)
	if err != nil {
		e.onError(w, r, err)
	}
}
