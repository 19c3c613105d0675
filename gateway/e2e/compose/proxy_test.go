//go:build compose

package compose

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// With no gateway behind it caddy says which request failed, and nobody's key.
func TestProxy_logsNoKey(t *testing.T) {
	i := newInstitucion(t, "LAB010101PX1")
	began := time.Now()
	_, err := set.compose(t.Context(), "", "stop", "gateway")
	if err != nil {
		t.Fatal(err)
	}
	defer set.start(t)
	status, err := harness.Status(t.Context(), i.BaseURL+"/cliente/sandbox/ping", http.Header{"X-Api-Key": {i.ApiKey}}, map[string]any{})
	if err != nil || status < http.StatusInternalServerError {
		t.Errorf("without a gateway a request is answered %d, %v", status, err)
	}
	said, err := set.compose(t.Context(), "", "logs", "--no-log-prefix", "--since", began.Format(time.RFC3339), "caddy")
	if err != nil || !strings.Contains(string(said), "/cliente/sandbox/ping") {
		t.Errorf("caddy does not say what failed: %v\n%s", err, said)
	}
	if strings.Contains(string(said), i.ApiKey) {
		t.Error("caddy's log has a key")
	}
	pass("what caddy says of a failed request has no key in it")
}
