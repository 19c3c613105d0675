package stack

import "testing"

func TestStack_StartReplica(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	first := environmentOf(t, s, Integracion)
	replica, err := s.StartReplica(t.Context(), Integracion)
	if err != nil {
		t.Fatal(err)
	}
	// It wrote its environment over the first one's.
	second := environmentOf(t, s, Integracion)
	if second["GRPC_ADDR"] != replica.GRPC || replica.GRPC == s.Addresses().GRPCIntegracion || second["OPS_ADDR"] == first["OPS_ADDR"] {
		t.Errorf("the replica listens at %s and %s, the first at %s and %s",
			second["GRPC_ADDR"], second["OPS_ADDR"], first["GRPC_ADDR"], first["OPS_ADDR"])
	}
	if second["DATABASE_URL"] != first["DATABASE_URL"] || first["DATABASE_URL"] == "" {
		t.Error("the replica has another database")
	}
	for range 2 {
		err = replica.Stop(t.Context())
		if err != nil {
			t.Fatal(err)
		}
	}
	if isReady(t.Context(), "http://"+second["OPS_ADDR"]+"/readyz") {
		t.Error("the replica still serves")
	}
	if !isReady(t.Context(), "http://"+first["OPS_ADDR"]+"/readyz") {
		t.Error("the first does not serve any more")
	}
	select {
	case exit := <-s.Exited():
		t.Errorf("a planned end is reported: %v", exit)
	default:
	}
}
