package stack

import (
	"context"
	"path/filepath"

	"github.com/enlace-iis/enlace/deploy/local/port"
)

// Replica is one more process of a service, on the same database. The other parts go on
// calling the first one.
type Replica struct {
	// GRPC is the host:port of its gRPC.
	GRPC string

	run *run
}

// StartReplica starts a Replica. It is stopped with the rest, or before.
func (s *Stack) StartReplica(ctx context.Context, service string) (*Replica, error) {
	var free [2]string
	for i := range free {
		number, err := port.Free()
		if err != nil {
			return nil, err
		}
		free[i] = port.Address(number)
	}
	grpc, ops := free[0], free[1]
	v := s.newService(service)
	v.title, v.ops = service+"-2", ops
	v.log = filepath.Join(s.cfg.Dir, logsFolder, v.title+".log")
	v.spec.Name = v.title
	// The last value of a name counts.
	v.spec.Env = append(v.spec.Env, "GRPC_ADDR="+grpc, "OPS_ADDR="+ops)
	err := s.startPart(ctx, v)
	if err != nil {
		return nil, err
	}
	started, err := s.find(v.title)
	if err != nil {
		return nil, err
	}
	return &Replica{GRPC: grpc, run: started}, nil
}

// Stop ends the process in order. It may be called again.
func (r *Replica) Stop(ctx context.Context) error {
	r.run.leaving.Store(true)
	return r.run.stop(ctx)
}
