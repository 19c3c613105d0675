package salud

import "unicode/utf8"

// criba is what an ordinary text is looked through with first: no word of it is a term or like
// one, no two begin one, none has digits in it, and no letters stand alone. It errs only in
// holding a text back, which then gets the whole look.
type criba struct {
	// terms are those of one word; pairs are the two words that longer ones begin with, and
	// firsts the first of these.
	terms, firsts, pairs filtro
	// letters are what the bytes of ASCII stand for, 0 between words; latin the same of the
	// second bytes of Latin letters.
	letters, latin [256]byte
}

// filtro is a set of hashes, of which it has some more than were added: a Bloom filter with two
// bits for each, both in one word of memory.
type filtro [1 << 13]uint64

func (f *filtro) at(hash uint64) (word *uint64, bits uint64) {
	return &f[hash>>(64-13)], 1<<(hash>>40&63) | 1<<(hash>>32&63)
}

func (f *filtro) add(hash uint64) {
	word, bits := f.at(hash)
	*word |= bits
}

func (f *filtro) has(hash uint64) bool {
	word, bits := f.at(hash)
	return *word&bits == bits
}

// hashed goes on with the hash of a word by a letter.
func hashed(hash uint64, c byte) uint64 { return (hash ^ uint64(c)) * base }

func hashOf(word string) uint64 {
	hash := uint64(0)
	for i := range len(word) {
		hash = hashed(hash, word[i])
	}
	return hash
}

func pairOf(first, second uint64) uint64 { return (first ^ second>>1) * base }

var aNumero = hashOf(numero)

var primera = newCriba(lista)

func newCriba(lista map[string][]termino) *criba {
	c := &criba{}
	for b := range byte(utf8.RuneSelf) {
		if kind, _ := kindAt([]byte{lower(b)}); kind != between {
			c.letters[b] = lower(b)
		}
	}
	for r, folded := range map[rune]byte{
		'á': 'a', 'é': 'e', 'í': 'i', 'ó': 'o', 'ú': 'u', 'ü': 'u', 'ñ': 'n', 'Á': 'a', 'É': 'e', 'Í': 'i', 'Ó': 'o', 'Ú': 'u', 'Ü': 'u', 'Ñ': 'n',
	} {
		c.latin[string(r)[1]] = folded
	}
	for word, all := range lista {
		for _, one := range all {
			switch {
			case one.seccion == signo, one.seccion == pasa: // a plus or a bracket holds the text back; what passes is no term
			case len(one.rest) == 0:
				c.terms.add(hashOf(word))
			default:
				c.firsts.add(hashOf(word))
				c.pairs.add(pairOf(hashOf(word), hashOf(one.rest[0])))
			}
		}
	}
	return c
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// holds reports whether a text needs the whole look.
func (c *criba) holds(texto string, f forma) bool {
	var w, before palabra
	wasSingle, wasFirst := false, false
	for i := 0; i <= len(texto); i++ {
		var letter byte
		switch {
		case i == len(texto):
		case texto[i] == '+', texto[i] == '(':
			return true
		case texto[i] < utf8.RuneSelf:
			letter = c.letters[texto[i]]
		case texto[i] == 0xC3 && i+1 < len(texto) && c.latin[texto[i+1]] != 0:
			i++
			letter = c.latin[texto[i]]
		default:
			return true
		}
		if letter != 0 {
			w.add(letter)
			continue
		}
		if w.n == 0 {
			continue
		}
		isSingle := w.n == 1 && w.digits == 0
		switch {
		case w.digits > 0 && w.digits < w.n, isSingle && wasSingle, w.n > len(w.text), w.isIn(&c.terms), wasFirst && c.isPair(&before, &w):
			return true
		case f != direccion && w.n >= minParecido && w.digits == 0 && parecidos.may(w.text[:w.n]):
			return true
		}
		wasSingle, wasFirst = isSingle, w.isIn(&c.firsts)
		before.forms, before.plural = w.forms, w.plural
		w.forms, w.n, w.digits = [3]uint64{}, 0, 0
	}
	return false
}

func (c *criba) isPair(first, second *palabra) bool {
	for _, a := range first.read() {
		if second.digits > 0 && c.pairs.has(pairOf(a, aNumero)) {
			return true
		}
		for _, b := range second.read() {
			if c.pairs.has(pairOf(a, b)) {
				return true
			}
		}
	}
	return false
}

// palabra is a word that is being read.
type palabra struct {
	text      [maxParecido]byte
	n, digits int
	// forms are its hash, and those of it without one and two last letters, which count if it
	// may be a plural.
	forms  [3]uint64
	plural bool
}

func (w *palabra) add(letter byte) {
	if w.n < len(w.text) {
		w.text[w.n] = letter
	}
	w.n++
	if letter <= '9' {
		w.digits++
	}
	w.plural = letter == 's'
	w.forms = [3]uint64{hashed(w.forms[0], letter), w.forms[0], w.forms[1]}
}

// read gives the hashes by which the word may be on the list.
func (w *palabra) read() []uint64 {
	if w.plural {
		return w.forms[:]
	}
	return w.forms[:1]
}

func (w *palabra) isIn(f *filtro) bool {
	return f.has(w.forms[0]) || w.plural && (f.has(w.forms[1]) || f.has(w.forms[2]))
}
