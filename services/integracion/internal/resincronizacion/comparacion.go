package resincronizacion

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// comparacion is one comparison of an institution's Reportes with its list. Its memory grows
// with the Reportes that are here and not with the list.
type comparacion struct {
	Observados
	listados, activados, completados int

	invalidos   nombrados // entries whose id or CURP cannot be used, as far as they have an id
	descartados nombrados // entries of which an optional field was left out
	inactivos   nombrados // entries that say so of themselves
	detenidos   nombrados // ids that are not activated yet, see AltaDetenida
	// campos are the fields that were left out.
	campos map[string]struct{}

	store   Store
	empresa tenant.EmpresaID
	asked   time.Time
	// seen are the listed ids of which there is a Reporte, as hashes: that two are taken for
	// one would only keep a flag from the second.
	seen map[uint64]struct{}
	seed maphash.Seed
}

func newComparacion(store Store, empresa tenant.EmpresaID, asked time.Time) *comparacion {
	return &comparacion{
		store: store, empresa: empresa, asked: asked,
		campos: map[string]struct{}{}, seen: map[uint64]struct{}{}, seed: maphash.MakeSeed(),
	}
}

// nombrados counts ids of a kind and keeps the first of them.
type nombrados struct {
	total int
	ids   []string
}

// maxIDs bounds how many ids of a kind one Asiento names.
const maxIDs = 50

func (n *nombrados) add(id string) {
	n.total++
	if len(n.ids) < maxIDs {
		n.ids = append(n.ids, id)
	}
}

// listada is an entry with an id.
type listada struct {
	solicitud reportes.Solicitud
	invalid   error
	inactiva  bool
}

// opens reports whether the entry asks for a search that can be opened.
func (l listada) opens() bool { return l.invalid == nil && !l.inactiva }

// take compares some entries. What is activated already when a run is cut short is not
// unknown to the next one.
func (c *comparacion) take(ctx context.Context, entradas []Entrada) error {
	ids, listadas, sinAbrir := c.readEntradas(entradas)
	ultimos, err := c.store.FindUltimos(ctx, c.empresa, ids)
	if err != nil {
		return fmt.Errorf("compare with the platform: %w", err)
	}
	var changed []Ultimo
	known := make(map[string]bool, len(ultimos))
	for _, u := range ultimos {
		known[u.ReporteID] = true
		c.seen[c.hash(u.ReporteID)] = struct{}{}
		changed = c.judge(changed, u, observedListed(u.Estado, listadas[u.ReporteID].inactiva))
	}
	err = c.store.FlagReportes(ctx, c.empresa, changed, c.asked)
	if err != nil {
		return fmt.Errorf("flag reportes: %w", err)
	}
	for _, u := range ultimos {
		sinAbrir, err = c.complete(ctx, u, listadas[u.ReporteID], sinAbrir)
		if err != nil {
			return err
		}
	}
	for _, id := range ids {
		if l := listadas[id]; !known[id] && l.invalid != nil && !l.inactiva {
			sinAbrir = append(sinAbrir, newSinAbrir(l.solicitud, reportes.DefectosOf(l.invalid)))
		}
	}
	// Before the activations, so that what one of them opens counts as opened later.
	err = c.store.SaveSinAbrir(ctx, c.empresa, sinAbrir)
	if err != nil {
		return fmt.Errorf("keep entries that open nothing: %w", err)
	}
	for _, id := range ids {
		if known[id] {
			continue
		}
		err = c.activate(ctx, id, listadas[id])
		if err != nil {
			return err
		}
	}
	return nil
}

func newSinAbrir(s reportes.Solicitud, defectos []string) reportes.SinAbrir {
	return reportes.NewSinAbrir(reportes.SinAbrirListado, s.ReporteID, s.Persona.CURP, "", defectos)
}

// complete gives an active Reporte what its entry adds. An entry of the same id about another
// person, which the list goes on saying, opens no search.
func (c *comparacion) complete(ctx context.Context, u Ultimo, l listada, sinAbrir []reportes.SinAbrir) ([]reportes.SinAbrir, error) {
	if u.Estado != reportes.ReporteActivo || !l.opens() {
		return sinAbrir, nil
	}
	if u.Conocido.Persona.CURP != l.solicitud.Persona.CURP {
		if u.CambioEn.Before(c.asked.Add(-listadoLag)) {
			other := newSinAbrir(l.solicitud, []string{"curp distinta"})
			// Not what was said of the id before, which may be settled.
			other.Referencia += "\x00" + l.solicitud.Persona.CURP
			sinAbrir = append(sinAbrir, other)
		}
		return sinAbrir, nil
	}
	if !u.Conocido.CompleteListado(l.solicitud) {
		return sinAbrir, nil
	}
	completed, err := c.store.CompleteListado(ctx, c.empresa, l.solicitud)
	if err != nil {
		return sinAbrir, fmt.Errorf("complete listed reporte: %w", err)
	}
	if completed {
		c.completados++
	}
	return sinAbrir, nil
}

// readEntradas holds each entry to the rules of a listed activation. Of an id that is listed
// twice the first counts that can be used, with what the others add. Entries without an id that ask for a search open none.
func (c *comparacion) readEntradas(entradas []Entrada) (ids []string, listadas map[string]listada, sinID []reportes.SinAbrir) {
	listadas = make(map[string]listada, len(entradas))
	for _, entrada := range entradas {
		id, l := c.readEntrada(entrada)
		if id == "" && !l.inactiva {
			sinID = append(sinID, newSinAbrir(l.solicitud, reportes.DefectosOf(l.invalid)))
		}
		before, twice := listadas[id]
		if id == "" || c.isSeen(id) {
			continue
		}
		if twice && before.invalid == nil {
			if before.opens() && l.opens() {
				before.solicitud.CompleteRepetida(l.solicitud)
				listadas[id] = before
			}
			continue
		}
		if !twice {
			ids = append(ids, id)
		}
		listadas[id] = l
	}
	return ids, listadas, sinID
}

// readEntrada gives an entry with its id, which is empty if it is none, and counts it.
func (c *comparacion) readEntrada(entrada Entrada) (string, listada) {
	c.listados++
	id := entrada.Activacion.ID
	if !manual.IsSearchID(id) {
		id = ""
	}
	solicitud, err := entrada.Activacion.ValidateListado()
	solicitud.Descartados = append(solicitud.Descartados, entrada.Ilegibles...)
	if err != nil {
		c.invalidos.add(id)
	}
	if len(solicitud.Descartados) > 0 {
		c.descartados.add(id)
	}
	for _, campo := range solicitud.Descartados {
		c.campos[campo] = struct{}{}
	}
	if entrada.Inactiva {
		c.inactivos.add(id)
	}
	return id, listada{solicitud: solicitud, invalid: err, inactiva: entrada.Inactiva}
}

func (c *comparacion) camposDescartados() []string {
	return slices.Sorted(maps.Keys(c.campos))
}

func (c *comparacion) activate(ctx context.Context, id string, l listada) error {
	if !l.opens() {
		return nil
	}
	alta, err := c.store.ActivateListado(ctx, c.empresa, l.solicitud, c.asked.Add(-listadoLag))
	if err != nil {
		return fmt.Errorf("activate listed reporte: %w", err)
	}
	switch alta {
	case AltaHecha:
		c.activados++
	case AltaDetenida:
		c.detenidos.add(id)
	case AltaInnecesaria:
	}
	// It is known now, or need not be looked at again.
	c.seen[c.hash(id)] = struct{}{}
	return nil
}

// conclude looks for what the list lacks, of which it has come to the end.
func (c *comparacion) conclude(ctx context.Context) error {
	var last Ultimo
	for {
		page, err := c.store.ListComparables(ctx, c.empresa, last)
		if err != nil {
			return fmt.Errorf("compare with the platform: %w", err)
		}
		if len(page) == 0 {
			return nil
		}
		last = page[len(page)-1]
		var changed []Ultimo
		for _, u := range page {
			if !c.isSeen(u.ReporteID) {
				changed = c.judge(changed, u, observedMissing(u.Estado))
			}
		}
		err = c.store.FlagReportes(ctx, c.empresa, changed, c.asked)
		if err != nil {
			return fmt.Errorf("flag reportes: %w", err)
		}
	}
}

// observedListed is what the list says against a Reporte by having it.
func observedListed(estado reportes.EstadoReporte, inactiva bool) Observacion {
	switch {
	case estado == reportes.ReporteActivo && inactiva:
		return ObservadoListadoInactivo
	case estado == reportes.ReporteDesactivado && !inactiva:
		return ObservadoListadoTrasBaja
	default:
		return ""
	}
}

// observedMissing is what it says by not having it.
func observedMissing(estado reportes.EstadoReporte) Observacion {
	if estado == reportes.ReporteActivo {
		return ObservadoNoListado
	}
	return ""
}

// judge counts what contradicts the list, and adds what has another flag than it deserves.
// What changed since the list was asked for is left alone.
func (c *comparacion) judge(changed []Ultimo, u Ultimo, due Observacion) []Ultimo {
	if !u.CambioEn.Before(c.asked) {
		return changed
	}
	switch due {
	case ObservadoNoListado:
		c.NoListados++
	case ObservadoListadoTrasBaja:
		c.ListadosTrasBaja++
	case ObservadoListadoInactivo:
		c.ListadosInactivos++
	}
	if u.Observacion == due {
		return changed
	}
	u.Observacion = due
	return append(changed, u)
}

func (c *comparacion) hash(id string) uint64 {
	return maphash.String(c.seed, id)
}

func (c *comparacion) isSeen(id string) bool {
	_, seen := c.seen[c.hash(id)]
	return seen
}

// datos are for the Bitácora.
func (c *comparacion) datos() map[string]any {
	return map[string]any{
		"listados":           c.listados,
		"activados":          c.activados,
		"completados":        c.completados,
		"no_listados":        c.NoListados,
		"listados_tras_baja": c.ListadosTrasBaja,
		"listados_inactivos": c.ListadosInactivos,
		"invalidos":          c.invalidos.total,
		"invalidos_ids":      c.invalidos.ids,
		"descartados":        c.descartados.total,
		"descartados_ids":    c.descartados.ids,
		"descartados_campos": c.camposDescartados(),
		"inactivos":          c.inactivos.total,
		"inactivos_ids":      c.inactivos.ids,
		"detenidos":          c.detenidos.total,
		"detenidos_ids":      c.detenidos.ids,
	}
}
