package harness

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// ticks are in a second of /proc's times: Linux shows no other number to programs.
const ticks = 100

// PID finds the process of one of our programs.
func (s *System) PID(tb testing.TB, program string) int {
	tb.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		tb.Fatal(err)
	}
	for _, link := range links {
		target, err := os.Readlink(link)
		if err == nil && target == filepath.Join(s.BinDir, program) {
			return pidOf(filepath.Dir(link))
		}
	}
	tb.Fatalf("no process runs %s", program)
	return 0
}

// CPU gives the seconds that a process has used so far.
func CPU(tb testing.TB, pid int) float64 {
	tb.Helper()
	return mustStat(tb, pid).cpu
}

// ServerCPU gives those of a PostgreSQL: of the server, of those whose end it has seen, and of
// those that live.
func ServerCPU(tb testing.TB, postmaster int) float64 {
	tb.Helper()
	server := mustStat(tb, postmaster)
	used := server.cpu + server.ended
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		process, alive := readStat(pidOf(folder))
		if alive && process.parent == postmaster {
			used += process.cpu
		}
	}
	return used
}

// Parent gives the process that started one, as PostgreSQL's server did whoever serves a connection.
func Parent(tb testing.TB, pid int) int {
	tb.Helper()
	return mustStat(tb, pid).parent
}

// Memory gives the bytes that /proc tells of a process under a name: VmRSS, VmHWM.
func Memory(tb testing.TB, pid int, name string) int64 {
	tb.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		tb.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), name+":")
	kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		tb.Fatal(err)
	}
	return kib << 10
}

// stat is what /proc tells of a process.
type stat struct {
	parent int
	// cpu is its own, in seconds, ended that of its children that are gone.
	cpu, ended float64
}

func mustStat(tb testing.TB, pid int) stat {
	tb.Helper()
	process, alive := readStat(pid)
	if !alive {
		tb.Fatalf("process %d is gone", pid)
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

// pidOf reads it from a process's folder.
func pidOf(folder string) int {
	pid, _ := strconv.Atoi(filepath.Base(folder)) // it was listed by its digits
	return pid
}
