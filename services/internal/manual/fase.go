package manual

import "strconv"

// Fase is the phase of a search that found something (pui.md section 3); zero: none.
type Fase int

// The three phases. The first tells of the person only, the others of an event.
const (
	FaseBasicos   Fase = 1 // the newest value of each basic field; at most one
	FaseHistorica Fase = 2 // one for each event since the disappearance
	FaseContinua  Fase = 3 // one for each event that came afterwards
)

// String is the phase as the platform writes it.
func (f Fase) String() string {
	if f == 0 {
		return ""
	}
	return strconv.Itoa(int(f))
}

// ParseFase reads what [Fase.String] writes; zero: it is no phase.
func ParseFase(s string) Fase {
	for _, f := range []Fase{FaseBasicos, FaseHistorica, FaseContinua} {
		if s == f.String() {
			return f
		}
	}
	return 0
}
