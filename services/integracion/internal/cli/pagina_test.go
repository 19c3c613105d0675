package cli

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/services/internal/terminal"
)

// asTyped finds a command of the page, up to its comment and to where its output goes.
var asTyped = regexp.MustCompile(`(?m)^(?:integracion|.* /integracion) ([a-z][^#>\n]*)`)

// Every command line of the page for operators is one: it has those flags, and a help.
func TestRun_knowsWhatThePageSays(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	found := asTyped.FindAllStringSubmatch(string(page), -1)
	if len(found) < 20 {
		t.Fatalf("only %d commands were found: the expression no longer fits the page", len(found))
	}
	for _, match := range found {
		args := strings.Fields(strings.ReplaceAll(match[1], `"`, ""))
		var help bytes.Buffer
		root := terminal.Program{Name: "integracion"}.Command()
		err := Run(t.Context(), root, &terminal.Terminal{In: strings.NewReader(""), Out: &help, Err: io.Discard}, append(args, "--help"))
		words := "integracion " + strings.Join(args[:min(2, len(args))], " ")
		if err != nil || !strings.Contains(help.String(), words) {
			t.Errorf("integracion %s: %v\n%.200s", match[1], err, help.String())
		}
	}
}
