package kubernetes

import (
	"slices"
	"testing"
)

// invariant is something that an operator relies on.
type invariant struct {
	name string
	// check tells what is wrong with an overlay, nothing if it holds.
	check func(o *overlay) []string
	// breaks are ways in which an edit could hurt it, by what is done.
	breaks map[string]damage
}

// damage is done to one overlay.
type damage struct {
	overlay string
	do      func(o *overlay)
}

var invariants = slices.Concat(
	podInvariants, serviceInvariants, networkInvariants, scalingInvariants, referenceInvariants, settingInvariants,
	databaseInvariants, tlsInvariants,
)

func TestInvariants(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"demo", "production"} {
		for _, i := range invariants {
			t.Run(name+"/"+i.name, func(t *testing.T) {
				t.Parallel()
				for _, problem := range i.check(load(t, name)) {
					t.Error(problem)
				}
			})
		}
	}
}

func TestInvariants_noticeABreak(t *testing.T) {
	t.Parallel()
	for _, i := range invariants {
		if len(i.breaks) == 0 {
			t.Errorf("nothing shows that %q can fail", i.name)
		}
		for name, damage := range i.breaks {
			t.Run(i.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				o := load(t, damage.overlay)
				damage.do(o)
				if len(i.check(o)) == 0 {
					t.Error("it went unnoticed")
				}
			})
		}
	}
}

func TestDecode_isStrict(t *testing.T) {
	t.Parallel()
	const service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"
	_, err := decode([]byte(service))
	if err != nil {
		t.Errorf("a good object: %v", err)
	}
	for name, text := range map[string]string{
		"unknown field":  service + "spec: {ports: [{name: a, puerto: 1}]}\n",
		"repeated field": service + "spec: {}\nspec: {}\n",
		"wrong type":     service + "spec: {ports: yes}\n",
		"unknown kind":   "apiVersion: v1\nkind: Servicio\n",
		"bad quantity":   "apiVersion: v1\nkind: LimitRange\nspec: {limits: [{type: Pod, max: {memory: 1GiB}}]}\n",
	} {
		_, err := decode([]byte(text))
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
