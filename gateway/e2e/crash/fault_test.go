package crash

import "testing"

// What is told again is excused only by a fault that can cut its answer from its commit.
func TestFault_disturbance(t *testing.T) {
	for _, tt := range []struct {
		kind, target         string
		answer, commit, keys bool
	}{
		{kind: faultKill, target: "integracion-2", commit: true, keys: true},
		{kind: faultKill, target: "postgres-integracion", commit: true, keys: true},
		{kind: faultHold, target: "integracion to its database", commit: true, keys: true},
		{kind: faultCut, target: "calls of integracion", keys: true},
		{kind: faultSlow, target: "integracion to its database", keys: true},
		{kind: faultKill, target: "simulador", answer: true},
		{kind: faultHold, target: platform, answer: true},
		{kind: faultSlow, target: platform},
		{kind: faultKill, target: "registros"},
		{kind: faultKill, target: "postgres-registros"},
		{kind: faultKill, target: "postgres", commit: true, keys: true},
		{kind: faultKill, target: "trabajador-2", commit: true, keys: true},
		{kind: faultJump, target: "postgres-integracion"},
	} {
		got := Fault{Kind: tt.kind, Target: tt.target}.disturbance()
		want := Disturbance{What: tt.kind + " " + tt.target, Answer: tt.answer, Commit: tt.commit, Keys: tt.keys}
		if got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
