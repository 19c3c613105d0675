package errores

import (
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

// row is one of contract.md section 3: its names, and its status.
var row = regexp.MustCompile("(?m)^\\| (`[a-z_`, ]+`) \\| ([0-9]{3}) \\|")

func contractTable(t *testing.T) map[string]int {
	t.Helper()
	text, err := os.ReadFile("../../docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]int{}
	for _, found := range row.FindAllStringSubmatch(string(text), -1) {
		status, _ := strconv.Atoi(found[2])
		for codigo := range strings.SplitSeq(strings.ReplaceAll(found[1], "`", ""), ", ") {
			table[codigo] = status
		}
	}
	return table
}

// To the platform there is no 408, 409, 415 or 422.
func TestStatus_isTheContracts(t *testing.T) {
	table := contractTable(t)
	for number, name := range erroresv1.Motivo_name {
		motivo := erroresv1.Motivo(number)
		if motivo == erroresv1.Motivo_MOTIVO_UNSPECIFIED {
			continue
		}
		codigo := strings.ToLower(strings.TrimPrefix(name, "MOTIVO_"))
		if Codigo(motivo) != codigo || Titulo(motivo) == "" || Causa(motivo) == "" || Cura(motivo) == "" {
			t.Errorf("%s: errores.proto does not say what it is called, why it happens and what to do", name)
		}
		want := table[codigo]
		if got := Status(motivo); got != want {
			t.Errorf("%s: got %d, the contract says %d", codigo, got, want)
		}
		if want == http.StatusConflict || want == http.StatusUnsupportedMediaType || want == http.StatusUnprocessableEntity {
			want = http.StatusBadRequest
		}
		if want == http.StatusRequestTimeout {
			want = http.StatusGatewayTimeout
		}
		if got := PlatformStatus(motivo); got != want {
			t.Errorf("%s: got %d for the platform, want %d", codigo, got, want)
		}
	}
	if len(fallas) != len(table) {
		t.Errorf("%d reasons have a status, %d stand in the contract", len(fallas), len(table))
	}
}

func TestStatus_ofAReasonOfALaterVersion(t *testing.T) {
	for _, unknown := range []erroresv1.Motivo{erroresv1.Motivo_MOTIVO_UNSPECIFIED, 999} {
		if Status(unknown) != 500 || PlatformStatus(unknown) != 500 {
			t.Errorf("%d: got %d and %d", unknown, Status(unknown), PlatformStatus(unknown))
		}
	}
}
