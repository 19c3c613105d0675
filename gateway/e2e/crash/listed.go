package crash

import (
	"fmt"
	"strings"
)

// lost is what must have been told or listed and was not.
type lost []string

func (l lost) Error() string { return "lost: " + strings.Join(l, "\n\t") }

// caso and coincidencia are rows of the lists.
type caso struct {
	ReporteID string `json:"reporte_id"`
	Estado    string
}

type coincidencia struct {
	ReporteID string `json:"reporte_id"`
	Estado    string
}

// compare holds the lists of one report against its cycles and what the platform took: the
// states of its casos and matches, told of which are known. A cycle that ended before its Caso
// was opened has none, and how a send ended that the deactivation cut may be unknown here.
func compare(ciclos []Ciclo, casos, matches []string, told int) []string {
	var missing []string
	miss := func(format string, values ...any) {
		missing = append(missing, fmt.Sprintf("%s %s: ", ciclos[0].Empresa, ciclos[0].ReporteID)+fmt.Sprintf(format, values...))
	}
	over := 0
	for _, c := range ciclos {
		if c.Deactivated.Sent != Never {
			over++
		}
	}
	counts := count(casos)
	active := len(ciclos) - over
	if counts["monitoreo"] != active || counts["cerrado"] > over || counts["monitoreo"]+counts["cerrado"] != len(casos) {
		miss("the casos are %v, of %d active cycles and %d ended ones", casos, active, over)
	}
	counts = count(matches)
	if counts["pendiente"]+counts["rechazada"] > 0 {
		miss("the matches are %v", counts)
	}
	if notified := counts["notificada"]; notified > told || over == 0 && notified < told {
		miss("%d matches are listed as told, and %d were", notified, told)
	}
	return missing
}

func count(estados []string) map[string]int {
	counts := map[string]int{}
	for _, estado := range estados {
		counts[estado]++
	}
	return counts
}
