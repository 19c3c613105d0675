//go:build compose

package compose

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/port"
)

// A demonstration beside the set knows nothing of it, changes nothing in it, and goes with all
// that it made.
func TestDemo_isAProjectOfItsOwn(t *testing.T) {
	var before, after any
	set.openSesion(t)
	set.operate(t, "", &before, "empresas", "listar")
	containers := set.running(t)
	beside := *set
	beside.project = set.project + "-demo"
	beside.environment = append(slices.Clone(set.environment), "COMPOSE_PROJECT_NAME="+beside.project, "VERSION="+set.versions[0])
	for _, key := range []string{"HTTP_PORT", "HTTPS_PORT", "SIMULADOR_PORT"} {
		number, err := port.Free()
		if err != nil {
			t.Fatal(err)
		}
		beside.environment = append(beside.environment, key+"="+strconv.Itoa(number))
	}
	output, err := beside.make("demo")
	if err != nil || !strings.Contains(string(output), "Dos instituciones están listas") {
		t.Errorf("make demo: %v\n%s", err, output)
	}
	if len(beside.left(t)) == 0 {
		t.Error("there is no demonstration")
	}
	_, err = beside.make("demo-down")
	if err != nil {
		t.Error(err)
	}
	if left := beside.left(t); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
	set.operate(t, "", &after, "empresas", "listar")
	if !slices.Equal(containers, set.running(t)) || !reflect.DeepEqual(before, after) {
		t.Error("a demonstration changed the set beside it")
	}
	pass("a demonstration beside the set changed nothing in it and left nothing")
}

// left are the containers, networks and volumes of the project.
func (c *conjunto) left(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, kind := range [][]string{{"ps", "--all"}, {"network", "ls"}, {"volume", "ls"}} {
		output, err := c.docker(t.Context(), append(kind, "--quiet", "--filter", "label=com.docker.compose.project="+c.project)...)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.Fields(string(output))...)
	}
	return all
}
