package salud

import "bytes"

const (
	// minDisfraz is the least length of a term that is made out in a token of letters and digits:
	// order numbers begin with two or three letters of any kind.
	minDisfraz = 4
	// minParecido is the least length of a word, and of a term, that are compared by likeness.
	minParecido = 6
)

// isDisguised reports whether a word that is on no list says a term all the same: misspelled,
// with digits in the place of letters, or with a number written onto it.
func (t *palabras) isDisguised(i int) bool {
	word := t.word(i)
	if !t.spans[i].mixed {
		return t.forma != direccion && len(word) >= minParecido && t.isLike(i, word)
	}
	return t.isNumbered(i, word) || t.isLeet(i, word)
}

// isNumbered finds the terms of "Sida2024" and "COVID19POSITIVO": the letters alone are whole
// terms. Any other token of letters and digits is a code, and no part of it is looked at.
func (t *palabras) isNumbered(i int, word []byte) bool {
	longest := 0
	for rest := word; ; {
		from := bytes.IndexFunc(rest, isNoDigit)
		if from < 0 {
			return longest >= minDisfraz
		}
		rest = rest[from:]
		end := len(rest)
		if n := bytes.IndexAny(rest, "0123456789"); n >= 0 {
			end = n
		}
		if !t.isTerm(i, string(singular(rest[:end]))) {
			return false
		}
		longest = max(longest, end)
		rest = rest[end:]
	}
}

func isNoDigit(r rune) bool { return r < '0' || r > '9' }

// leet are the letters that digits are written for; 1 is also read as an l.
var leet = [10]byte{'o', 'i', 'z', 'e', 'a', 's', 'g', 't', 'b', 'g'}

// isLeet finds the term of "C4NC3R". Shorter ones than six letters are on the list as they are
// written.
func (t *palabras) isLeet(i int, word []byte) bool {
	var buf [maxParecido]byte
	if len(word) < minParecido || len(word) > len(buf) {
		return false
	}
	for _, one := range []byte{'i', 'l'} {
		letters := append(buf[:0], word...)
		for k, c := range letters {
			switch {
			case c == '1':
				letters[k] = one
			case '0' <= c && c <= '9':
				letters[k] = leet[c-'0']
			}
		}
		if t.isTerm(i, string(singular(letters))) {
			return true
		}
	}
	return false
}

// isTerm reports whether some letters of the word i are a whole term, and nothing around it
// excuses that one.
func (t *palabras) isTerm(i int, letters string) bool {
	all := lista[letters]
	for k := range all {
		one := &all[k]
		switch one.seccion {
		case siempre, resultado, nombre, servicio:
			if len(one.rest) == 0 && !t.isExcused(i, one) {
				return true
			}
		}
	}
	return false
}

// isLike finds the term that a word misspells by one letter that is missing, too many or
// another one, or by two that changed places.
func (t *palabras) isLike(i int, word []byte) bool {
	one := parecidos.find(word)
	if one == nil || vecinos[string(word)]&comun != 0 {
		return false
	}
	return !t.isExcused(i, one)
}
