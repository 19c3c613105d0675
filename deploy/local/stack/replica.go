package stack

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"github.com/enlace-iis/enlace/deploy/local/port"
)

// Replica is one more process of a service or of the gateway, on the same database. It is a part like the first one:
// Kill, End and Restart take its name, and it is stopped with the rest.
type Replica struct {
	// Name is the part's name, and Service what it is a replica of.
	Name    string
	Service string
	// Address is the host:port where it serves, by gRPC or, a gateway, by HTTP; Ops that of its operations port.
	Address string
	Ops     string

	stack *Stack
}

// StartReplica starts a Replica. With a resolver, that of a service listens at the port of the first one on a loopback
// address of its own, which is for the resolver to name; macOS has none but 127.0.0.1. Otherwise it has a port of its own,
// and the other parts go on calling the first one.
func (s *Stack) StartReplica(ctx context.Context, service string) (*Replica, error) {
	r, err := s.newReplica(service)
	if err != nil {
		return nil, err
	}
	listen := "GRPC_ADDR"
	if service == Gateway {
		listen = "HTTP_ADDR"
	}
	v := s.newService(service)
	v.title, v.ops = r.Name, r.Ops
	v.log = filepath.Join(s.cfg.Dir, logsFolder, v.title+".log")
	v.spec.Name = v.title
	// The last value of a name counts.
	v.spec.Env = append(v.spec.Env, listen+"="+r.Address, "OPS_ADDR="+r.Ops)
	err = s.startPart(ctx, v)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (s *Stack) newReplica(service string) (*Replica, error) {
	number := s.countReplicas(service) + 1
	r := &Replica{Name: fmt.Sprintf("%s-%d", service, number), Service: service, stack: s}
	for _, address := range []*string{&r.Address, &r.Ops} {
		free, err := port.Free()
		if err != nil {
			return nil, err
		}
		*address = port.Address(free)
	}
	if s.cfg.Resolver != "" && service != Gateway {
		_, shared, _ := net.SplitHostPort(s.grpc(service)) // it was joined here
		r.Address = net.JoinHostPort(fmt.Sprintf("127.0.0.%d", number), shared)
	}
	return r, nil
}

func (s *Stack) grpc(service string) string {
	if service == Registros {
		return s.addresses.GRPCRegistros
	}
	return s.addresses.GRPCIntegracion
}

// countReplicas counts all that were started, the first one included, so that names are never used again.
func (s *Stack) countReplicas(service string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(s.runs), func(r *run) bool {
		return r.name() != service && !strings.HasPrefix(r.name(), service+"-")
	}))
}

// Stop ends the process in order. It may be called again.
func (r *Replica) Stop(ctx context.Context) error {
	return r.stack.End(ctx, r.Name)
}
