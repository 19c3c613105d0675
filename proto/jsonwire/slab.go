package jsonwire

import "reflect"

// A slab makes messages of one type many at a time: a batch of 5000 records with their
// addresses is some 300 allocations and not 15 000. The messages of a body live and die
// together, so none keeps another alive for longer than it should.
type slab struct {
	plan *plan
	made reflect.Value // a slice of structs
	used int
}

// slabs are those of one body.
type slabs []slab

// maxSlab bounds what is wasted when the last slab is hardly used.
const maxSlab = 64

// newMessage gives a pointer to a fresh message.
func (all *slabs) newMessage(p *plan) reflect.Value {
	s := all.of(p)
	if s.used == s.made.Len() {
		size := min(4*s.used, maxSlab)
		s.made = reflect.MakeSlice(reflect.SliceOf(p.goType), size, size)
		s.used = 0
	}
	s.used++
	return s.made.Index(s.used - 1).Addr()
}

func (all *slabs) of(p *plan) *slab {
	for i := range *all {
		if (*all)[i].plan == p {
			return &(*all)[i]
		}
	}
	one := reflect.MakeSlice(reflect.SliceOf(p.goType), 1, 1)
	*all = append(*all, slab{plan: p, made: one})
	return &(*all)[len(*all)-1]
}
