//go:build linux && rotation

package rotation

import (
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/fleet"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// rotation is the system with two replicas of everything, and who asks it.
type rotation struct {
	*fleet.Fleet
	load *fleet.Load
	// llave is the institution's present key, and salida what it uses towards the platform.
	llave  llave
	salida string
}

func TestRotation(t *testing.T) {
	f := fleet.New(t, system)
	r := &rotation{Fleet: f, load: fleet.NewLoad(t, f), salida: harness.Salida}
	r.load.Start()
	t.Run("API key and its webhook secret", r.apiKey)
	t.Run("clave that the platform uses", r.claveEntrada)
	t.Run("clave that the institution uses", r.claveSalida)
	// Before the restarts, which make all connections anew.
	t.Run("certificates and their authority", r.certificados)
	t.Run("secrets and databases of the programs", r.programas)
	r.load.End()
	r.load.Account(t, f)
	t.Run("secret of the hashes", r.huella)
}
