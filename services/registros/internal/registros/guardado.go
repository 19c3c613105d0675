package registros

import (
	"time"

	"github.com/google/uuid"
)

// Cambio is what a write did to one Registro.
type Cambio string

// The outcomes of writing a Registro.
const (
	Creado      Cambio = "creado"
	Actualizado Cambio = "actualizado"
	SinCambios  Cambio = "sin_cambios"
)

// Guardado is what a write of Registros did.
type Guardado struct {
	Creados       int
	Actualizados  int
	SinCambios    int
	Coincidencias int // matches with open Casos that it found
}

// RegistroGuardado is what a write did to one Registro, by its folio.
type RegistroGuardado struct {
	ID     string
	Cambio Cambio
}

// LoteID is what a batch is called towards the institution that sent it.
type LoteID = uuid.UUID

// LoteMissing is what a client reads of a batch that there is not.
const LoteMissing = "No existe ese lote."

// LoteRecibido is what is remembered of a batch. Without an ID nothing is: a record that
// came by itself.
type LoteRecibido struct {
	ID         LoteID
	KeyID      string // of the key that it came with
	RecibidoEn time.Time
	Total      int
	Rechazados int
	Guardado
}
