package registros

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// Huella is the content hash of a Registro. Two Registros have the same Huella
// if and only if they are equal, so a record whose Huella is already stored
// changes nothing.
type Huella [sha256.Size]byte

// versionHuella is part of every Huella. A new field, or another order, needs
// a new version: no old Huella may be taken for one of the new kind. It also
// makes every record count as changed when it is sent the next time, but tells
// none again: see Notificable.
const versionHuella = 1

// tamanioComun holds the encoding of all but the longest records, so that it
// can stay on the stack.
const tamanioComun = 2048

// Huella computes the content hash: SHA-256 over the version and then every
// field in the order of Registro, each preceded by its length so that no two
// contents are written alike. What is derived from the CURP is no content.
func (r *Registro) Huella() Huella {
	var buf [tamanioComun]byte
	b := append(buf[:0], versionHuella)
	b = appendField(b, string(r.Folio))
	b = appendField(b, r.CURP)
	b = appendField(b, r.TipoEvento)
	b = appendFecha(b, r.FechaEvento)
	b = appendField(b, r.DescripcionLugarEvento)
	b = appendDireccion(b, &r.DireccionEvento)
	b = appendField(b, r.Nombre)
	b = appendField(b, r.PrimerApellido)
	b = appendField(b, r.SegundoApellido)
	b = appendFecha(b, r.FechaNacimiento)
	b = appendField(b, string(r.LugarNacimiento))
	b = appendField(b, string(r.SexoAsignado))
	b = appendField(b, r.Telefono)
	b = appendField(b, r.Correo)
	b = appendDireccion(b, &r.Domicilio)
	return sha256.Sum256(b)
}

func appendDireccion(b []byte, d *manual.Direccion) []byte {
	b = appendField(b, d.Direccion)
	b = appendField(b, d.Calle)
	b = appendField(b, d.Numero)
	b = appendField(b, d.Colonia)
	b = appendField(b, d.CodigoPostal)
	b = appendField(b, d.MunicipioOAlcaldia)
	return appendField(b, d.EntidadFederativa)
}

func appendFecha(b []byte, f manual.Fecha) []byte {
	return appendField(b, f.String())
}

func appendField(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}
