package plataforma

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// maxRecibidos bounds the memory of a simulator that is left running; past it
// the oldest tenth is dropped.
const maxRecibidos = 100_000

// Recibido is one request that reached the platform.
type Recibido struct {
	N             int64          `json:"n"` // from 1, never used twice
	RecibidoEn    time.Time      `json:"recibido_en"`
	RespondidoEn  *time.Time     `json:"respondido_en"` // nil: not yet, or the answer was lost
	InstitucionID string         `json:"institucion_id"`
	Ruta          Ruta           `json:"ruta"`
	Status        int            `json:"status"`
	Cuerpo        jsontext.Value `json:"cuerpo"` // a JSON string when it was not JSON
	Errores       []string       `json:"errores"`
}

// Filtro chooses entries; a zero field chooses all.
type Filtro struct {
	InstitucionID string
	Ruta          Ruta
	Desde         int64 // only entries with a greater N
}

func (f Filtro) matches(r Recibido) bool {
	return (f.InstitucionID == "" || f.InstitucionID == r.InstitucionID) &&
		(f.Ruta == "" || f.Ruta == r.Ruta)
}

// recibidos is the log of what arrived, in order of N, which is also the order
// of RecibidoEn.
type recibidos struct {
	now func() time.Time
	max int

	mu       sync.Mutex
	ultimo   int64
	entradas []Recibido
	llegada  chan struct{} // closed and replaced with each arrival
}

func newRecibidos(now func() time.Time) *recibidos {
	return &recibidos{now: now, max: maxRecibidos, llegada: make(chan struct{})}
}

// add gives the entry its number and its time, and wakes who waits.
func (l *recibidos) add(r Recibido) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ultimo++
	r.N = l.ultimo
	r.RecibidoEn = l.now().UTC()
	if len(l.entradas) >= l.max {
		l.entradas = slices.Delete(l.entradas, 0, max(l.max/10, 1))
	}
	l.entradas = append(l.entradas, r)
	close(l.llegada)
	l.llegada = make(chan struct{})
	return r.N
}

// answered notes that the answer to n is on its way. An n that was cleared
// meanwhile is no matter.
func (l *recibidos) answered(n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	en, hay := l.position(n)
	if !hay {
		return
	}
	ahora := l.now().UTC()
	l.entradas[en].RespondidoEn = &ahora
}

// position is where n is, or where it would be.
func (l *recibidos) position(n int64) (int, bool) {
	return slices.BinarySearchFunc(l.entradas, n, func(r Recibido, n int64) int { return cmp.Compare(r.N, n) })
}

// list returns what matches now, and a channel that the next arrival closes.
func (l *recibidos) list(f Filtro) ([]Recibido, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	en, hay := l.position(f.Desde)
	if hay {
		en++
	}
	encontrados := []Recibido{}
	for _, r := range l.entradas[en:] {
		if f.matches(r) {
			encontrados = append(encontrados, r)
		}
	}
	return encontrados, l.llegada
}

// wait returns as soon as something matches, or an empty list once ctx ends.
func (l *recibidos) wait(ctx context.Context, f Filtro) []Recibido {
	for {
		encontrados, llegada := l.list(f)
		if len(encontrados) > 0 {
			return encontrados
		}
		select {
		case <-llegada:
		case <-ctx.Done():
			return encontrados
		}
	}
}

// clear forgets the entries but not the count: who polls with a Filtro.Desde
// from before must still see what comes next.
func (l *recibidos) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entradas = nil
}
