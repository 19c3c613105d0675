package salud

import "slices"

// maxParecido bounds the words that are compared by likeness; no term is longer.
const maxParecido = 32

// indice finds the terms at an edit distance of one (Damerau's, of neighbours) from a word.
// Two such words share a text that is left when at most one letter is taken away from each,
// so the hashes of those texts are all that a word is looked up by. A word of an ordinary text
// costs as many looks into a table of bits as it has letters.
type indice struct {
	known filtro
	terms map[uint64][]*termino
	texts map[*termino]string
}

// base is odd, so that it has an inverse in the integers modulo 2^64.
const base = 0x9E3779B97F4A7C15

var inverse = inverseOf(base)

// inverseOf is Newton's iteration, which doubles the right bits with each step.
func inverseOf(odd uint64) uint64 {
	x := odd
	for range 6 {
		x *= 2 - odd*x
	}
	return x
}

// parecidos are the terms of one word that a misspelling still says.
var parecidos = newIndice(lista)

func newIndice(lista map[string][]termino) *indice {
	x := &indice{terms: map[uint64][]*termino{}, texts: map[*termino]string{}}
	for first, all := range lista {
		for k := range all {
			one := &all[k]
			switch one.seccion {
			case siempre, resultado, servicio:
			default:
				continue
			}
			if len(first) < minParecido || len(one.rest) > 0 || len(first) > maxParecido || !isLetters(first) {
				continue
			}
			x.texts[one] = first
			var buf [maxParecido + 1]uint64
			for _, hash := range hashes(buf[:0], []byte(first)) {
				x.terms[hash] = append(x.terms[hash], one)
				x.known.add(hash)
			}
		}
	}
	return x
}

func isLetters(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

// may reports whether a word may be like a term, or its singular.
func (x *indice) may(word []byte) bool {
	var buf [maxParecido + 1]uint64
	for _, hash := range hashes(buf[:0], word) {
		if x.known.has(hash) {
			return true
		}
	}
	n := len(word)
	return word[n-1] == 's' && (x.may(word[:n-1]) || word[n-2] == 'e' && x.may(word[:n-2]))
}

func (x *indice) find(word []byte) *termino {
	if len(word) > maxParecido {
		return nil
	}
	var buf [maxParecido + 1]uint64
	for _, hash := range hashes(buf[:0], word) {
		if !x.known.has(hash) {
			continue
		}
		for _, one := range x.terms[hash] {
			if isNear(word, x.texts[one]) {
				return one
			}
		}
	}
	return nil
}

// hashes appends the hash of a word, and of the word without each of its letters.
func hashes(to []uint64, word []byte) []uint64 {
	var whole uint64
	power := uint64(1)
	for _, c := range word {
		whole += uint64(c) * power
		power *= base
	}
	to = append(to, spread(whole))
	var before uint64
	power = 1
	for _, c := range word {
		after := whole - before - uint64(c)*power
		to = append(to, spread(before+after*inverse))
		before += uint64(c) * power
		power *= base
	}
	return to
}

// spread brings what the lower bits say into the upper ones, by which the table is read.
func spread(hash uint64) uint64 { return (hash ^ hash>>29) * 0xBF58476D1CE4E5B9 }

// isNear reports whether the distance of two words is at most one.
func isNear(a []byte, b string) bool {
	if len(a) > len(b)+1 || len(b) > len(a)+1 {
		return false
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	restA, restB := a[i:], []byte(b[i:])
	switch {
	case len(a) > len(b):
		return slices.Equal(restA[1:], restB)
	case len(a) < len(b):
		return slices.Equal(restA, restB[1:])
	case len(restA) < 2:
		return true
	}
	return slices.Equal(restA[1:], restB[1:]) ||
		restA[0] == restB[1] && restA[1] == restB[0] && slices.Equal(restA[2:], restB[2:])
}
