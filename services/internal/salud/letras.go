package salud

// maxSiglas is longer than any abbreviation of the list.
const maxSiglas = 8

// spelled looks for abbreviations that were written letter by letter: "V.I.H.", "v i h".
// Other single letters may stand beside them: "a V I H y E G O".
func (t *palabras) spelled() (found words, ok bool) {
	for i := 0; i < t.len(); {
		end := i
		for end < t.len() && t.isLetter(end) {
			end++
		}
		if end-i > 1 {
			found, ok = t.spelledIn(i, end)
			if ok {
				return found, true
			}
		}
		i = end + 1
	}
	return words{}, false
}

func (t *palabras) isLetter(i int) bool {
	word := t.word(i)
	return len(word) == 1 && word[0] >= 'a'
}

// spelledIn tries every part of a run of letters.
func (t *palabras) spelledIn(from, end int) (found words, ok bool) {
	for i := from; i < end-1; i++ {
		var siglas [maxSiglas]byte
		siglas[0] = t.word(i)[0]
		for n := 1; n < min(maxSiglas, end-i); n++ {
			siglas[n] = t.word(i + n)[0]
			if n == 1 && !t.isPair(i, from, end) {
				continue
			}
			if t.isSigla(siglas[:n+1], from, i) {
				return words{from: i, to: i + n + 1}, true
			}
		}
	}
	return words{}, false
}

// isPair tells whether two letters stand for themselves: in the middle of a longer name,
// such as I.M.S.S., they say nothing.
func (t *palabras) isPair(i, from, end int) bool {
	return i == from || i+2 == end || isConjunction(t.word(i - 1)[0]) || isConjunction(t.word(i + 2)[0])
}

func isConjunction(c byte) bool { return c == 'a' || c == 'e' || c == 'o' || c == 'u' || c == 'y' }

// isSigla looks an abbreviation up that begins at i, in letters that begin at from.
func (t *palabras) isSigla(siglas []byte, from, i int) bool {
	all := lista[string(singular(siglas))]
	for n := range all {
		one := &all[n]
		if one.seccion != pasa && t.follows(i+len(siglas), one) && !t.isExcusedSigla(from, i, one) {
			return true
		}
	}
	return false
}

// isExcusedSigla also knows the initials of somebody: "entrega de resultados a R.M.".
func (t *palabras) isExcusedSigla(from, i int, one *termino) bool {
	if one.seccion == codigo {
		return t.areInitials(from)
	}
	return t.isExcused(i, one) || t.isExcused(from, one) || one.seccion == clave && t.areInitials(from)
}

// areInitials takes the letters from the "a" on.
func (t *palabras) areInitials(from int) bool {
	return t.word(from)[0] == 'a' && t.before(from)&antesDeIniciales != 0
}
