package registros

import "time"

// Seleccion is whose Registros a person asks to see, or to have erased: all of a CURP, or the
// one of a folio.
type Seleccion struct {
	CURP  string
	Folio Folio
	// Antes of an erasure that is made again after a restoration is when it was made: what was
	// written or told since stays. Zero: there is no such bound.
	Antes time.Time
}

// RegistroConservado is a Registro as it is kept.
type RegistroConservado struct {
	Registro
	ID            int64 // orders those of a day
	CreadoEn      time.Time
	ActualizadoEn time.Time
	Notificadas   int // Coincidencias of it that the platform took
}

// Borrado is what an erasure did, or would do.
type Borrado struct {
	CURP          string // whose Registros they were; empty if there was none
	Registros     int
	Coincidencias []CoincidenciaID // that lost what they told
}
