package assembly

import (
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/services/process"
)

// The owner's password must not go over a network in plain text either.
func TestMigrateConfig_refusesADatabaseWithoutTLS(t *testing.T) {
	t.Setenv("DATABASE_URL_MIGRATION", "postgres://duenio@db/registros")
	_, err := process.Load[MigrateConfig]()
	if err == nil || !strings.Contains(err.Error(), "DATABASE_URL_MIGRATION") {
		t.Errorf("error = %v, want a refusal of DATABASE_URL_MIGRATION", err)
	}
	t.Setenv("DATABASE_PLAINTEXT", "true")
	_, err = process.Load[MigrateConfig]()
	if err != nil {
		t.Errorf("on a network that is said to be private: %v", err)
	}
}
