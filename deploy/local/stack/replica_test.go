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
	if second["GRPC_ADDR"] != replica.Address || replica.Address == s.Addresses().GRPCIntegracion || second["OPS_ADDR"] == first["OPS_ADDR"] {
		t.Errorf("the replica listens at %s and %s, the first at %s and %s",
			second["GRPC_ADDR"], second["OPS_ADDR"], first["GRPC_ADDR"], first["OPS_ADDR"])
	}
	if second["DATABASE_URL"] != first["DATABASE_URL"] || first["DATABASE_URL"] == "" {
		t.Error("the replica has another database")
	}
	err = s.Restart(t.Context(), replica.Name)
	if err != nil || !isReady(t.Context(), "http://"+replica.Ops+"/readyz") {
		t.Errorf("the replica does not start again at its old address: %v", err)
	}
	for range 2 {
		err = replica.Stop(t.Context())
		if err != nil {
			t.Fatal(err)
		}
	}
	if replica.Ops != second["OPS_ADDR"] || isReady(t.Context(), "http://"+replica.Ops+"/readyz") {
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

func TestStack_StartReplicaOfTheGateway(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, name := range []string{"gateway-2", "gateway-3"} {
		replica, err := s.StartReplica(t.Context(), Gateway)
		if err != nil {
			t.Fatal(err)
		}
		given := environmentOf(t, s, Gateway)
		if replica.Name != name || given["HTTP_ADDR"] != replica.Address || "http://"+replica.Address == s.Addresses().BaseURL {
			t.Errorf("%s listens at %s, not at %s", replica.Name, given["HTTP_ADDR"], replica.Address)
		}
	}
}
