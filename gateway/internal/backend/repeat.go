package backend

import (
	"fmt"

	"github.com/enlace-iis/enlace/proto/opciones"
)

// repeatable are the RPCs that are sent again when a replica that may have begun them went
// away: their protos say that they change nothing. A list is only opened again before its first
// message. What no replica has begun is sent again by gRPC itself, whatever it is.
func repeatable() ([]string, error) {
	metodos, err := opciones.Todos()
	if err != nil {
		return nil, fmt.Errorf("find what may be repeated: %w", err)
	}
	var rpcs []string
	for _, metodo := range metodos {
		if metodo.GetRepetible() {
			rpcs = append(rpcs, metodo.RPC)
		}
	}
	return rpcs, nil
}
