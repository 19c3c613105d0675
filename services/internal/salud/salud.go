package salud

// InActo reports whether an act, in the words of an institution, names something of a
// person's health.
func InActo(texto string) bool { return find(texto, acto) }

// InLugar reports the same of the description of a place, by the same list. Only there the
// name of an establishment may say what is done in it.
func InLugar(texto string) bool { return find(texto, lugar) }

// InDireccion reports the same of a part of an address, which is made of proper names and
// codes: only what is a term whatever stands around it counts.
func InDireccion(texto string) bool { return find(texto, direccion) }

// A forma is what kind of text is looked at.
type forma int

const (
	acto forma = iota
	lugar
	direccion
)

// WithoutLugar gives the description of a place without the words that name something of a
// person's health, and "" if nothing else is left. A text that names nothing is given as it is.
func WithoutLugar(texto string) string { return without(texto, lugar) }

// WithoutDireccion does the same with a part of an address.
func WithoutDireccion(texto string) string { return without(texto, direccion) }

func find(texto string, f forma) bool {
	return primera.holds(texto, f) && named(texto, f)
}

// named is the whole look at a text.
func named(texto string, f forma) bool {
	var text [128]byte
	var spans [32]span
	t := split(texto, text[:0], spans[:0])
	t.forma = f
	_, found := t.first()
	return found
}

// first gives the words of the first term, and reports whether there is one.
func (t *palabras) first() (found words, ok bool) {
	for i := 0; i < t.len(); {
		n, ok := t.at(i)
		if ok {
			return words{from: i, to: i + n}, true
		}
		i += max(n, 1)
	}
	return t.spelled()
}

// words are some in a row, the last one not included.
type words struct{ from, to int }

// at looks for a term that begins with the word i, and gives how many words it has, or how
// many words pass if that is what they do.
func (t *palabras) at(i int) (n int, found bool) {
	word := t.word(i)
	all := lista[string(word)]
	for k := range all {
		one := &all[k]
		switch {
		case !t.follows(i+1, one):
			continue
		case one.seccion == pasa:
			return 1 + len(one.rest), false
		case !t.isExcused(i, one):
			n, found = max(n, 1+len(one.rest)), true
		}
	}
	if all == nil && t.isDisguised(i) {
		return 1, true
	}
	return n, found
}

// follows reports whether the words from i on complete a term. Punctuation between them is
// no matter, but for what passes: "negativa, a domicilio" is not "negativa a".
func (t *palabras) follows(i int, one *termino) bool {
	if i+len(one.rest) > t.len() {
		return false
	}
	for n, want := range one.rest {
		if !t.is(i+n, want) || one.seccion == pasa && string(t.gap(i+n)) != " " {
			return false
		}
	}
	return true
}

// is compares a word with one of a term, in which * stands for any number.
func (t *palabras) is(i int, want string) bool {
	word := t.word(i)
	return string(word) == want || want == numero && word[0] <= '9'
}
