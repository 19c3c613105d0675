package salud

// InActo tells whether an act, in the words of an institution, names something of a
// person's health.
func InActo(texto string) bool { return find(texto, false) }

// InLugar tells the same of the description of a place, by the same list. Only there the
// name of an establishment may say what is done in it.
func InLugar(texto string) bool { return find(texto, true) }

func find(texto string, isLugar bool) bool {
	var text [128]byte
	var spans [32]span
	t := split(texto, text[:0], spans[:0])
	t.isLugar = isLugar
	for i := 0; i < t.len(); {
		found, passed := t.at(i)
		if found {
			return true
		}
		i += max(passed, 1)
	}
	return t.isSpelled()
}

// at looks for a term that begins with the word i, and tells how many words pass if that is
// what they do.
func (t *palabras) at(i int) (found bool, passed int) {
	all := lista[string(t.word(i))]
	for n := range all {
		one := &all[n]
		switch {
		case !t.follows(i+1, one):
			continue
		case one.seccion == pasa:
			return false, 1 + len(one.rest)
		case !t.isExcused(i, one):
			found = true
		}
	}
	return found, 0
}

// follows tells whether the words from i on complete a term. Punctuation between them is
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
