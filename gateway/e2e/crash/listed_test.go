package crash

import "testing"

func TestCompare(t *testing.T) {
	active, over := activated(""), activated("")
	over.Deactivated = Span{Sent: second(20), Acked: second(21)}
	type list = []string
	for name, tt := range map[string]struct {
		ciclos         []Ciclo
		casos, matches []string
		told           int
		missing        int
	}{
		"as it should be":             {[]Ciclo{over, active}, list{"monitoreo", "cerrado"}, list{"notificada", "cancelada"}, 1, 0},
		"an active one has no caso":   {[]Ciclo{active}, nil, nil, 0, 1},
		"an ended one has no caso":    {[]Ciclo{over}, nil, nil, 0, 0},
		"an ended one goes on":        {[]Ciclo{over}, list{"monitoreo"}, nil, 0, 1},
		"two casos of one cycle":      {[]Ciclo{active}, list{"monitoreo", "monitoreo"}, nil, 0, 1},
		"still searching":             {[]Ciclo{active}, list{"en_busqueda"}, nil, 0, 1},
		"a match waits":               {[]Ciclo{active}, list{"monitoreo"}, list{"pendiente"}, 0, 1},
		"a match was refused":         {[]Ciclo{active}, list{"monitoreo"}, list{"rechazada"}, 0, 1},
		"listed as told, and was not": {[]Ciclo{over}, list{"cerrado"}, list{"notificada"}, 0, 1},
		"told, and not listed as so":  {[]Ciclo{active}, list{"monitoreo"}, list{"cancelada"}, 1, 1},
		"told while it ended":         {[]Ciclo{over}, list{"cerrado"}, list{"cancelada"}, 1, 0},
	} {
		if got := compare(tt.ciclos, tt.casos, tt.matches, tt.told); len(got) != tt.missing {
			t.Errorf("%s: %q, want %d", name, got, tt.missing)
		}
	}
}
