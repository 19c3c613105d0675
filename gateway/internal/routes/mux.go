// Package routes puts the RPCs of the services on one mux of grpc-gateway.
//
// A unary route is served by the handler that protoc-gen-grpc-gateway generates from its
// google.api.http rule; marshaler.go reads and writes the JSON of the contract for it. The
// generator cannot write a JSON array or a file of a stream: list.go does, in [Register]. The
// options that a rule cannot say, such as the kind of body, are in the protos too
// (opciones.proto); [NewTable] reads them for the middlewares of edge. Every refusal is made in
// errors.go and written in problem.go.
package routes

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	integracionrpc "github.com/enlace-iis/enlace/gateway/internal/gen/enlace/integracion/v1"
	registrosrpc "github.com/enlace-iis/enlace/gateway/internal/gen/enlace/registros/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// A publicService is a gRPC service whose annotated RPCs are public routes.
type publicService struct {
	name     string
	service  Service
	register func(context.Context, *runtime.ServeMux, *grpc.ClientConn) error
}

// publicServices lists them, the busiest first. A service that is not here has no HTTP route,
// whatever its annotations say.
var publicServices = []publicService{
	{registrosv1.RegistroService_ServiceDesc.ServiceName, Registros, registrosrpc.RegisterRegistroServiceHandler},
	{registrosv1.CasoService_ServiceDesc.ServiceName, Registros, registrosrpc.RegisterCasoServiceHandler},
	{registrosv1.CargaService_ServiceDesc.ServiceName, Registros, registrosrpc.RegisterCargaServiceHandler},
	{integracionv1.AvisoService_ServiceDesc.ServiceName, Integracion, integracionrpc.RegisterAvisoServiceHandler},
	{integracionv1.SesionService_ServiceDesc.ServiceName, Integracion, integracionrpc.RegisterSesionServiceHandler},
	{integracionv1.ReporteService_ServiceDesc.ServiceName, Integracion, integracionrpc.RegisterReporteServiceHandler},
	{integracionv1.ApiKeyService_ServiceDesc.ServiceName, Integracion, integracionrpc.RegisterApiKeyServiceHandler},
	{integracionv1.EmpresaService_ServiceDesc.ServiceName, Integracion, integracionrpc.RegisterEmpresaServiceHandler},
	{integracionv1.UsuarioService_ServiceDesc.ServiceName, Integracion, integracionrpc.RegisterUsuarioServiceHandler},
	{integracionv1.CuentaService_ServiceDesc.ServiceName, Integracion, integracionrpc.RegisterCuentaServiceHandler},
	{integracionv1.BitacoraService_ServiceDesc.ServiceName, Integracion, integracionrpc.RegisterBitacoraServiceHandler},
	{integracionv1.SeguimientoService_ServiceDesc.ServiceName, Integracion, integracionrpc.RegisterSeguimientoServiceHandler},
	{integracionv1.SecretoService_ServiceDesc.ServiceName, Integracion, integracionrpc.RegisterSecretoServiceHandler},
	{integracionv1.EventoService_ServiceDesc.ServiceName, Integracion, integracionrpc.RegisterEventoServiceHandler},
	{integracionv1.InicioService_ServiceDesc.ServiceName, Integracion, integracionrpc.RegisterInicioServiceHandler},
}

// Connections are the clients of the services, by service.
type Connections map[Service]*grpc.ClientConn

// Register puts every route on the mux: the generated handlers, the streams that the generator
// cannot serve, and the gateway's own. The mux tries the last registered first; a path with a
// variable therefore comes before a literal one, and the busiest service last.
func Register(mux *runtime.ServeMux, t *Table, conns Connections, cfg StreamConfig) error {
	for _, public := range slices.Backward(publicServices) {
		// The context would close the connection, which its owner does.
		err := public.register(context.Background(), mux, conns[public.service])
		if err != nil {
			return fmt.Errorf("register %s: %w", public.name, err)
		}
	}
	for _, literal := range []bool{false, true} {
		for _, route := range t.all {
			serve, err := route.handler(mux, conns, cfg)
			if serve != nil && literal != strings.Contains(route.Pattern, "{") {
				err = mux.HandlePath(route.Method, route.Pattern, serve)
			}
			if err != nil {
				return fmt.Errorf("register %s: %w", route.Pattern, err)
			}
		}
	}
	return nil
}

// handler serves what no generated handler does; nil for the rest.
func (r *Route) handler(mux *runtime.ServeMux, conns Connections, cfg StreamConfig) (runtime.HandlerFunc, error) {
	switch {
	case r.local != nil:
		return func(w http.ResponseWriter, asked *http.Request, _ map[string]string) {
			bare := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: r.Pattern}, Body: http.NoBody}
			r.local.ServeHTTP(w, bare.WithContext(asked.Context()))
		}, nil
	case r.List:
		s, err := newStream(mux, r, conns[r.Service], cfg)
		return s.serve, err
	default:
		return nil, nil
	}
}

// SetStatus is the mux's option that gives an answer its documented status: that of SaveRegistros
// depends on whether anything is new.
func (t *Table) SetStatus(ctx context.Context, w http.ResponseWriter, answer proto.Message) error {
	rpc, _ := runtime.RPCMethod(ctx)
	exitos := t.byRPC[rpc].Exitos
	status := exitos[0]
	counted, ok := answer.(interface{ GetCreados() int32 })
	if ok && len(exitos) > 1 && counted.GetCreados() == 0 {
		status = exitos[1]
	}
	if status != http.StatusOK {
		w.WriteHeader(status)
	}
	return nil
}

// A Local is a GET route that the gateway answers itself. Its handler sees the pattern as the
// path and nothing else of the request, and may replace the headers that every answer has,
// such as the content policy of a page.
type Local struct {
	Pattern string
	Handler http.Handler
}

// Content is what a [Local] answers if that never changes.
type Content struct {
	Body []byte
	Type string
	// Policy replaces the answer's content security policy if it is not empty.
	Policy string
}

func (c Content) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", c.Type)
	w.Header().Set("Content-Length", strconv.Itoa(len(c.Body)))
	if c.Policy != "" {
		w.Header().Set("Content-Security-Policy", c.Policy)
	}
	// A client that has gone cannot be told anything.
	_, _ = w.Write(c.Body)
}
