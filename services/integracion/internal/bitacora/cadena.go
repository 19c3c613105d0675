package bitacora

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Hash is where a chain stands after an entry; the zero Hash is where it begins. It has no
// key: whoever has the entries can compute it.
type Hash [sha256.Size]byte

// String is the Hash as the evidence writes it.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash reads what String wrote, and nothing else.
func ParseHash(text string) (Hash, bool) {
	decoded, err := hex.DecodeString(text)
	if err != nil || len(decoded) != sha256.Size {
		return Hash{}, false
	}
	h := Hash(decoded)
	return h, h.String() == text
}

// Next is where the chain stands after one more: SHA-256 of this Hash, the number and the
// texts, each of which is written as its length in bytes, a colon and itself.
func (h Hash) Next(numero int64, textos []string) Hash {
	hashed := append(make([]byte, 0, 512), h[:]...)
	hashed = appendTexto(hashed, strconv.FormatInt(numero, 10))
	for _, texto := range textos {
		hashed = appendTexto(hashed, texto)
	}
	return sha256.Sum256(hashed)
}

func appendTexto(to []byte, texto string) []byte {
	to = strconv.AppendInt(to, int64(len(texto)), 10)
	return append(append(to, ':'), texto...)
}

// Campos name what is chained of an Asiento, in this order. Chains that were sealed must
// verify for ever: what is here stays, and whatever an Asiento gets later goes into its Datos.
var Campos = []string{
	"id", "ocurrido_en", "id_empresa", "tipo", "accion", "actor", "request_id", "reporte_id", "recurso",
	"status", "motivo", "duracion_ms", "curp_huella", "datos",
}

// instante is how a chained instant is written: as exact as the database has it.
const instante = "2006-01-02T15:04:05.000000Z"

// Textos are the Campos of an entry; one that is not there is empty.
func (a *Asiento) Textos() []string {
	return []string{
		a.ID.String(), a.OcurridoEn.UTC().Format(instante), string(a.EmpresaID), string(a.Tipo), a.Accion, a.Actor,
		a.RequestID, a.ReporteID, a.Recurso, number(int64(a.Status)), a.Motivo, number(a.Duracion.Milliseconds()),
		hex.EncodeToString(a.HuellaCURP), DatosTexto(a.Datos),
	}
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// DatosTexto writes Datos as JSON in the one way that is chained: names in order, no spaces.
func DatosTexto(datos map[string]any) string {
	if len(datos) == 0 {
		return "{}"
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(datos)
	if err != nil {
		return "" // never: they came as JSON
	}
	return string(bytes.TrimRight(out.Bytes(), "\n"))
}

// Sello holds consecutive entries of a chain together.
type Sello struct {
	Primero int64
	// Anterior and Hash are where the chain stands before the first and after the last.
	Anterior, Hash Hash
	// Asientos are in the order of the chain. One that is not there any more has no ID.
	Asientos []Asiento
}

// Ultimo is the number of the last entry.
func (s *Sello) Ultimo() int64 { return s.Primero + int64(len(s.Asientos)) - 1 }

// Seal chains entries, in the order of their times, behind where the chain stands.
func Seal(anterior Hash, primero int64, asientos []Asiento) Sello {
	slices.SortFunc(asientos, func(a, b Asiento) int {
		return cmp.Or(a.OcurridoEn.Compare(b.OcurridoEn), bytes.Compare(a.ID[:], b.ID[:]))
	})
	s := Sello{Primero: primero, Anterior: anterior, Hash: anterior, Asientos: asientos}
	for i := range asientos {
		s.Hash = s.Hash.Next(primero+int64(i), asientos[i].Textos())
	}
	return s
}

// Eslabon is an entry in its place of the chain.
type Eslabon struct {
	Numero int64
	Asiento
	Hash Hash
}

// Eslabones gives the entries with their hashes, once they lead where the seal says.
func (s *Sello) Eslabones() ([]Eslabon, error) {
	out := make([]Eslabon, len(s.Asientos))
	hash := s.Anterior
	for i, a := range s.Asientos {
		numero := s.Primero + int64(i)
		if a.ID == uuid.Nil {
			return nil, brokenAt(fmt.Sprintf("falta el asiento %d", numero))
		}
		hash = hash.Next(numero, a.Textos())
		out[i] = Eslabon{Numero: numero, Asiento: a, Hash: hash}
	}
	if hash != s.Hash {
		return nil, brokenAt(fmt.Sprintf("cambió alguno de los asientos %d a %d", s.Primero, s.Ultimo()))
	}
	return out, nil
}

func brokenAt(what string) error {
	return errs.New(errores.Conflicto, "La Bitácora de la base de datos no es la que se selló: "+what+". Esa evidencia no se firma.")
}

// CadenaStore keeps the chains.
type CadenaStore interface {
	// Seal chains some of an institution's entries that are not chained yet, and tells
	// whether those were all. Two at once do not disturb one another.
	Seal(ctx context.Context, empresa tenant.EmpresaID) (last bool, err error)
	// Count gives, as of one instant, how many entries an institution has and how many are
	// chained or wait for it.
	Count(ctx context.Context, empresa tenant.EmpresaID) (asientos, encadenados int64, err error)
	// FindTramo gives the numbers of an institution's first entry of a period and of its last
	// one; the last is one less than the first if there is none.
	FindTramo(ctx context.Context, empresa tenant.EmpresaID, p Periodo) (primero, ultimo int64, err error)
	// ReadSellos gives some Sellos from the one on that holds that number; none behind the end.
	ReadSellos(ctx context.Context, empresa tenant.EmpresaID, numero int64) ([]Sello, error)
}

// Cadena reads institutions' chains.
type Cadena struct {
	Store CadenaStore
}

// Tramo is a part of an institution's chain without a gap: what stands between the first and
// the last entry of a period. An entry is chained when it was committed, so next to both ends
// there may be one of shortly before or after.
type Tramo struct {
	EmpresaID       tenant.EmpresaID
	Primero, Ultimo int64
	// Anterior and Hash are where the chain stands before the first and after the last.
	Anterior, Hash Hash
}

// Total is how many entries it has.
func (t Tramo) Total() int64 { return t.Ultimo - t.Primero + 1 }

// Open seals what is not sealed yet, and finds a period in the chain.
func (c *Cadena) Open(ctx context.Context, empresa tenant.EmpresaID, p Periodo) (Tramo, error) {
	err := c.sealAll(ctx, empresa)
	if err != nil {
		return Tramo{}, err
	}
	t := Tramo{EmpresaID: empresa}
	t.Primero, t.Ultimo, err = c.Store.FindTramo(ctx, empresa, p)
	if err == nil {
		t.Anterior, err = c.hashAt(ctx, empresa, t.Primero-1)
	}
	if err == nil {
		t.Hash, err = c.hashAt(ctx, empresa, t.Ultimo)
	}
	return t, err
}

// sealAll seals what is not sealed yet, and holds that no entry was kept from it and that the
// end of the chain is there: neither shows in the entries that are chained.
func (c *Cadena) sealAll(ctx context.Context, empresa tenant.EmpresaID) error {
	for last := false; !last; {
		var err error
		last, err = c.Store.Seal(ctx, empresa)
		if err != nil {
			return err
		}
	}
	asientos, encadenados, err := c.Store.Count(ctx, empresa)
	if err == nil && asientos != encadenados {
		err = brokenAt(fmt.Sprintf("tiene %d asientos y su cadena %d", asientos, encadenados))
	}
	return err
}

// hashAt is where a chain stands after an entry.
func (c *Cadena) hashAt(ctx context.Context, empresa tenant.EmpresaID, numero int64) (Hash, error) {
	if numero == 0 {
		return Hash{}, nil
	}
	sellos, err := c.Store.ReadSellos(ctx, empresa, numero)
	if err != nil {
		return Hash{}, err
	}
	if len(sellos) == 0 {
		return Hash{}, brokenAt(fmt.Sprintf("falta el asiento %d", numero))
	}
	eslabones, err := sellos[0].Eslabones()
	if err != nil {
		return Hash{}, err
	}
	return eslabones[numero-sellos[0].Primero].Hash, nil
}

// Each hands over the entries of a Tramo in order, in chunks that yield must not keep. A
// chunk is handed over once it is known to be what was sealed.
func (c *Cadena) Each(ctx context.Context, t Tramo, yield func([]Eslabon) error) error {
	next, hash := t.Primero, t.Anterior
	for next <= t.Ultimo {
		sellos, err := c.Store.ReadSellos(ctx, t.EmpresaID, next)
		if err != nil {
			return err
		}
		if len(sellos) == 0 {
			return brokenAt(fmt.Sprintf("falta el asiento %d", next))
		}
		for i := 0; i < len(sellos) && next <= t.Ultimo; i++ {
			chunk, err := t.within(&sellos[i], next, hash)
			if err == nil {
				err = yield(chunk)
			}
			if err != nil {
				return err
			}
			last := chunk[len(chunk)-1]
			next, hash = last.Numero+1, last.Hash
		}
	}
	return nil
}

// within gives what a Sello has of a Tramo from a number on, before which the chain stands at
// hash.
func (t Tramo) within(s *Sello, next int64, hash Hash) ([]Eslabon, error) {
	all, err := s.Eslabones()
	if err != nil {
		return nil, err
	}
	if s.Primero > next || s.Primero == next && s.Anterior != hash {
		return nil, brokenAt(fmt.Sprintf("la cadena se interrumpe en el asiento %d", next))
	}
	return all[next-s.Primero : min(s.Ultimo(), t.Ultimo)-s.Primero+1], nil
}
