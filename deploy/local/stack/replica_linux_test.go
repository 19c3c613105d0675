package stack

import (
	"net"
	"testing"
)

func TestStack_StartReplicaWithResolver(t *testing.T) {
	t.Parallel()
	s := start(t, func(cfg *Config) { cfg.Resolver = "127.0.0.1:1" })
	replica, err := s.StartReplica(t.Context(), Registros)
	if err != nil {
		t.Fatal(err)
	}
	_, shared, err := net.SplitHostPort(s.Addresses().GRPCRegistros)
	if err != nil || replica.Address != net.JoinHostPort("127.0.0.2", shared) {
		t.Errorf("the replica listens at %s, the first at %s: %v", replica.Address, s.Addresses().GRPCRegistros, err)
	}
	if got, want := environmentOf(t, s, Gateway)["REGISTROS_TARGET"], "dns://127.0.0.1:1/registros:"+shared; got != want {
		t.Errorf("the gateway calls %s, want %s", got, want)
	}
}
