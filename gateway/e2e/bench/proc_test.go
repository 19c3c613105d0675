package bench

import (
	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// programs are what an institution's operator runs, the database among them.
var programs = []string{stack.Gateway, stack.Registros, stack.Integracion, stack.Postgres}

// cpu gives the seconds of CPU that programs have used so far, PostgreSQL with all that it
// starts.
func (s *session) cpu(programs ...string) float64 {
	var used float64
	for _, program := range programs {
		if program == stack.Postgres {
			used += harness.ServerCPU(s.tb, s.postmaster)
			continue
		}
		used += harness.CPU(s.tb, s.system.PID(s.tb, program))
	}
	return used
}

// resident gives the bytes of memory that a program holds.
func (s *session) resident(program string) float64 {
	return float64(harness.Memory(s.tb, s.system.PID(s.tb, program), "VmRSS"))
}
