package resincronizacion

import (
	"context"
	"fmt"
	"hash/maphash"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// comparacion is one comparison of an institution's Reportes with its list. Its memory grows
// with the Reportes that are here and not with the list.
type comparacion struct {
	Observados
	listados, activados int
	invalidos           nombrados // entries that are not valid, as far as they have an id
	inactivos           nombrados // entries that say so of themselves
	detenidos           nombrados // ids that are not activated yet, see AltaDetenida

	store   Store
	empresa tenant.EmpresaID
	asked   time.Time
	// seen are the listed ids of which there is a Reporte, as hashes: that two are taken for
	// one would only keep a flag from the second.
	seen map[uint64]struct{}
	seed maphash.Seed
}

func newComparacion(store Store, empresa tenant.EmpresaID, asked time.Time) *comparacion {
	return &comparacion{store: store, empresa: empresa, asked: asked, seen: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
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
	valid     bool
	inactiva  bool
}

// take compares some entries. What is activated already when a run is cut short is not
// unknown to the next one.
func (c *comparacion) take(ctx context.Context, entradas []Entrada) error {
	ids, listadas := c.readEntradas(entradas)
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

// readEntradas holds each entry to the rules of an activation. Of an id that is listed twice
// the first counts.
func (c *comparacion) readEntradas(entradas []Entrada) (ids []string, listadas map[string]listada) {
	listadas = make(map[string]listada, len(entradas))
	for _, entrada := range entradas {
		c.listados++
		id := entrada.Activacion.ID
		if !manual.IsSearchID(id) {
			id = ""
		}
		solicitud, err := entrada.Activacion.Validate()
		if err != nil {
			c.invalidos.add(id)
		}
		if entrada.Inactiva {
			c.inactivos.add(id)
		}
		_, twice := listadas[id]
		if id == "" || twice || c.isSeen(id) {
			continue
		}
		ids = append(ids, id)
		listadas[id] = listada{solicitud: solicitud, valid: err == nil, inactiva: entrada.Inactiva}
	}
	return ids, listadas
}

func (c *comparacion) activate(ctx context.Context, id string, l listada) error {
	if !l.valid || l.inactiva {
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
		"no_listados":        c.NoListados,
		"listados_tras_baja": c.ListadosTrasBaja,
		"listados_inactivos": c.ListadosInactivos,
		"invalidos":          c.invalidos.total,
		"invalidos_ids":      c.invalidos.ids,
		"inactivos":          c.inactivos.total,
		"inactivos_ids":      c.inactivos.ids,
		"detenidos":          c.detenidos.total,
		"detenidos_ids":      c.detenidos.ids,
	}
}
