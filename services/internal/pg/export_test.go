package pg

import "github.com/enlace-iis/enlace/services/internal/tenant"

// Waiting tells how many wait for the next transaction of an Empresa.
func (t *Together[Q, A]) Waiting(empresa tenant.EmpresaID) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.waiting[empresa])
}
