package routes

import (
	"net/http"

	"google.golang.org/protobuf/proto"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
)

// A Route is one method and path of the public API.
type Route struct {
	Method  string
	Pattern string // "/i/{id_empresa}/login"

	RPC     string // full method name, or "" for what the gateway answers itself
	Service Service
	List    bool // a stream that becomes a JSON array

	Success int                       // the documented status
	status  func(m proto.Message) int // what it depends on, if it does

	Style     httperr.Style
	Access    Access
	Body      Body
	BodyLimit int64 // bytes, decompressed
	// MaxRegistros is how many records of a batch are handed to the service, one more than
	// it takes: it is the service that refuses a larger one, with lote_excedido.
	MaxRegistros int
	// RefusesQuery is set where a query parameter would be a misunderstanding (contract.md 2).
	RefusesQuery bool

	handler http.Handler // of a route without RPC
}

// Service tells which deployable serves a route.
type Service int

const (
	// Gateway is this program itself.
	Gateway Service = iota
	Registros
	Integracion
)

// Access is the kind of credential that a route wants. Only the services can judge one.
type Access int

const (
	Open Access = iota
	APIKey
	Bearer
)

// Challenge is what WWW-Authenticate says on a 401.
func (a Access) Challenge() string {
	if a == APIKey {
		return `ApiKey realm="enlace"`
	}
	return `Bearer realm="enlace"`
}

// Body is what a route takes as its body.
type Body int

const (
	// NoBody is for GET: whatever comes is left unread.
	NoBody Body = iota
	// Strict is the documented object and nothing else.
	Strict
	// Batch is records in one of the three shapes of contract.md 4.2.
	Batch
	// Lenient is the platform's: unknown fields and the Content-Type do not matter.
	Lenient
	// Ignored may be missing, and is any JSON otherwise.
	Ignored
	// Signed is handed on byte for byte: the service checks the signature over it before it
	// reads it.
	Signed
)

// A Local is a GET route that the gateway answers itself. Its handler sees the path below
// ROOT_PATH and nothing else of the request, and may replace the headers that every answer
// has, such as the content policy of a page.
type Local struct {
	Pattern string
	Handler http.Handler
	Success int // 200 if zero
}

func (l Local) route() *Route {
	return &Route{
		Method:    http.MethodGet,
		Pattern:   l.Pattern,
		Success:   max(l.Success, http.StatusOK),
		BodyLimit: ordinaryBodyLimit,
		handler:   l.Handler,
	}
}
