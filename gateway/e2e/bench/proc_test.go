package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/enlace-iis/enlace/deploy/local/stack"
)

// ticks are in a second of /proc's times: Linux shows no other number to programs.
const ticks = 100

// programs are what an institution's operator runs, the database among them.
var programs = []string{stack.Gateway, stack.Registros, stack.Integracion, stack.Postgres}

// cpu gives the seconds of CPU that programs have used so far, PostgreSQL with all that it
// starts.
func (s *session) cpu(programs ...string) float64 {
	var used float64
	for _, program := range programs {
		if program == stack.Postgres {
			used += s.postgresCPU()
			continue
		}
		used += s.stat(s.pid(program)).cpu
	}
	return used
}

// postgresCPU adds up the server, those whose end it has seen, and those that live.
func (s *session) postgresCPU() float64 {
	server := s.stat(s.postmaster)
	used := server.cpu + server.ended
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		process, alive := readStat(pid)
		if alive && process.parent == s.postmaster {
			used += process.cpu
		}
	}
	return used
}

// stat is what /proc tells of a process.
type stat struct {
	parent int
	// cpu is its own, in seconds, ended that of its children that are gone.
	cpu, ended float64
}

func (s *session) stat(pid int) stat {
	process, alive := readStat(pid)
	if !alive {
		s.tb.Fatalf("process %d is gone", pid)
	}
	return process
}

func readStat(pid int) (stat, bool) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return stat{}, false
	}
	// The name before it may hold anything.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	number := func(field int) int {
		value, _ := strconv.Atoi(string(fields[field-3])) // numbered as proc(5) does
		return value
	}
	return stat{
		parent: number(4),
		cpu:    float64(number(14)+number(15)) / ticks,
		ended:  float64(number(16)+number(17)) / ticks,
	}, true
}

// pid finds the process of one of our programs.
func (s *session) pid(program string) int {
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		s.tb.Fatal(err)
	}
	for _, link := range links {
		target, err := os.Readlink(link)
		if err == nil && target == filepath.Join(s.system.BinDir, program) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
			return pid
		}
	}
	s.tb.Fatalf("no process runs %s", program)
	return 0
}

// resident gives the bytes of memory that a program holds.
func (s *session) resident(program string) float64 {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.pid(program)), "status"))
	if err != nil {
		s.tb.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		s.tb.Fatal(err)
	}
	return kib * 1024
}
