package bench

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// machine is where the figures are from.
type machine struct {
	Cores      int    `json:"cores"`
	Processor  string `json:"processor"`
	MemoryGiB  int    `json:"memory_gib"`
	Kernel     string `json:"kernel"`
	PostgreSQL string `json:"postgresql"`
	Go         string `json:"go"`
	Node       string `json:"node"`
	// Records and Cases were in the tables.
	Records int `json:"records"`
	Cases   int `json:"cases"`
	// Quick says that it was measured quickly.
	Quick bool `json:"quick"`
}

func (m machine) String() string {
	text := fmt.Sprintf("%d cores (%s), %d GiB, Linux %s, PostgreSQL %s, %s, Node %s; %d records, %d open cases",
		m.Cores, m.Processor, m.MemoryGiB, m.Kernel, m.PostgreSQL, m.Go, m.Node, m.Records, m.Cases)
	if m.Quick {
		return text + ", quickly"
	}
	return text
}

func (s *session) describeMachine() machine {
	m := machine{
		Cores: runtime.NumCPU(), Processor: fieldOf("/proc/cpuinfo", "model name"), Go: runtime.Version(),
		Records: s.options.records, Cases: s.options.cases, Quick: s.options.quick,
	}
	_, _ = fmt.Sscan(fieldOf("/proc/meminfo", "MemTotal"), &m.MemoryGiB)
	m.MemoryGiB = (m.MemoryGiB + 1<<19) >> 20
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	m.Kernel = strings.TrimSpace(string(kernel))
	node, _ := exec.Command("node", "--version").Output()
	m.Node = strings.TrimSpace(strings.TrimPrefix(string(node), "v"))
	err := s.admin.QueryRow(s.tb.Context(), "SELECT split_part(current_setting('server_version'), ' ', 1)").Scan(&m.PostgreSQL)
	if err != nil {
		s.tb.Fatal(err)
	}
	return m
}

// loadAverage is that of the last minute.
func loadAverage() float64 {
	var load float64
	text, _ := os.ReadFile("/proc/loadavg")
	_, _ = fmt.Sscan(string(text), &load)
	return load
}

// fieldOf gives the first value of a name in a file of /proc, empty if there is none.
func fieldOf(path, name string) string {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		key, value, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
