package crash

import (
	"reflect"
	"testing"
	"time"
)

var (
	someEmpresas = []string{"LAB010101001", "LAB010101002"}
	someTargets  = Targets{faultKill: {"gateway"}, faultCut: {"link"}, faultHold: {"link"}, faultSlow: {"link"}}
	someDay      = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
)

// A round can be had again by its seed, and another seed is another round.
func TestNewPlan_followsFromTheSeed(t *testing.T) {
	one := NewPlan(3, 77, someEmpresas, someTargets, someDay)
	if again := NewPlan(3, 77, someEmpresas, someTargets, someDay); !reflect.DeepEqual(one, again) {
		t.Error("the same seed gave another plan")
	}
	if other := NewPlan(3, 78, someEmpresas, someTargets, someDay); reflect.DeepEqual(one.Chains, other.Chains) {
		t.Error("another seed gave the same plan")
	}
}

// The load has something of everything, its marks are one content's alone, and no fault is
// done to what there is not.
func TestNewPlan_isMixed(t *testing.T) {
	steps, kinds, again, undated := map[string]int{}, map[string]int{}, 0, 0
	for n := range 50 {
		plan := NewPlan(n, uint64(n), someEmpresas, someTargets, someDay)
		marcas := map[string]bool{}
		for _, chain := range plan.Chains {
			cycles := 0
			for _, step := range chain {
				steps[step.Do]++
				for _, v := range step.Versions {
					if marcas[v.Marca] || len(v.Curp) != 18 || v.Fecha > someDay.Format(time.DateOnly) {
						t.Fatalf("record %+v", v)
					}
					marcas[v.Marca] = true
				}
				if step.Do == doActivate {
					cycles++
				}
				if step.Do == doActivate && step.Ciclo.Desaparicion == "" {
					undated++
				}
			}
			if cycles > 1 {
				again++
			}
		}
		for _, f := range plan.Faults {
			kinds[f.Kind]++
		}
	}
	for _, do := range []string{doSingle, doLote, doEvento, doActivate, doDeactivate} {
		if steps[do] == 0 {
			t.Errorf("nobody does %q", do)
		}
	}
	for kind := range someTargets {
		if kinds[kind] == 0 {
			t.Errorf("no fault of kind %q", kind)
		}
	}
	if kinds[faultJump] > 0 {
		t.Error("a clock jumps that is not there")
	}
	if again == 0 || undated == 0 {
		t.Errorf("%d reports are activated again, %d have no date", again, undated)
	}
}
