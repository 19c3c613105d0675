package manual

import "testing"

func TestPersona_effective(t *testing.T) {
	t.Parallel()
	const official, silent = "PEXA900115HDFRXN06", "SA06EIMBDR5OVM72NY"
	tests := []struct {
		name  string
		p     Persona
		lugar Lugar
		sexo  Sexo
	}{
		{"from the CURP", Persona{CURP: official}, "CDMX", SexoHombre},
		{"stored against the CURP, as it once was", Persona{CURP: official, LugarNacimiento: "PUEBLA", SexoAsignado: SexoOtro}, "CDMX", SexoHombre},
		{"stored as unknown", Persona{CURP: official, LugarNacimiento: LugarDesconocido}, "CDMX", SexoHombre},
		{"given, the CURP tells nothing", Persona{CURP: silent, LugarNacimiento: "PUEBLA", SexoAsignado: SexoOtro}, "PUEBLA", SexoOtro},
		{"wrong check digit", Persona{CURP: "XEXX010101HNEXXXA0"}, LugarForaneo, SexoHombre},
		{"the CURP tells nothing", Persona{CURP: silent}, LugarDesconocido, ""},
	}
	for _, tt := range tests {
		if got := tt.p.LugarEfectivo(); got != tt.lugar {
			t.Errorf("%s: place %q, want %q", tt.name, got, tt.lugar)
		}
		if got := tt.p.SexoEfectivo(); got != tt.sexo {
			t.Errorf("%s: sex %q, want %q", tt.name, got, tt.sexo)
		}
	}
}
