package manual

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// sustitutos says what stands for a character that the platform does not
// take, where its Unicode decomposition would say nothing or the wrong thing.
// A substitute may itself have characters that a name does not take; those are
// substituted in turn. Spaces around a substitute keep it apart from its
// neighbours and are collapsed afterwards.
var sustitutos = map[rune]string{
	// Signs that are read as words or as part of one.
	'&': " y ", '+': " más ", '%': " por ciento ", '@': "(a)", '°': "o",
	// Fractions follow a whole number: 5½ is 5 1/2, not 51/2.
	'½': " 1/2", '¼': " 1/4", '¾': " 3/4", '⅓': " 1/3", '⅔': " 2/3",
	'⅛': " 1/8", '⅜': " 3/8", '⅝': " 5/8", '⅞': " 7/8", '\u2044': "/",
	// Quotation marks, accents standing alone, and minutes.
	'"': "'", '`': "'", '´': "'", '‘': "'", '’': "'", '‚': "'", '‛': "'", 'ʼ': "'",
	'“': "'", '”': "'", '„': "'", '‟': "'", '«': "'", '»': "'", '′': "'", '″': "'",
	// Hyphens and dashes.
	'‐': "-", '‑': "-", '‒': "-", '–': "-", '—': "-", '―': "-", '−': "-",
	'_': "-", '~': "-", '•': "-",
	// Punctuation with a near relative.
	';': ",", '·': ".", '=': ":", '\\': "/", '|': "/",
	'[': "(", ']': ")", '{': "(", '}': ")", '<': "(", '>': ")",
	// Letters that Unicode does not decompose.
	'Æ': "AE", 'æ': "ae", 'Œ': "OE", 'œ': "oe", 'ß': "ss", 'ẞ': "SS",
	'Ø': "O", 'ø': "o", 'Ł': "L", 'ł': "l", 'Đ': "D", 'đ': "d", 'Ð': "D", 'ð': "d",
	'Þ': "Th", 'þ': "th", 'ı': "i", 'Ħ': "H", 'ħ': "h",
}

// TransliterateTexto turns any text into one that IsTexto accepts, keeping as
// much of its meaning as the expression allows: signs become words or their
// nearest relative, letters lose the accent that the platform does not know,
// the rest is left out. Spaces are collapsed, and the text is cut to maximo
// characters. It may be empty, and is if only signs would be left.
func TransliterateTexto(s string, maximo int) string {
	return transliterate(s, claseTexto, maximo)
}

// TransliterateNombre is TransliterateTexto for a name: its result is empty or
// accepted by IsNombre, which takes neither digits nor most punctuation.
func TransliterateNombre(s string, maximo int) string {
	return transliterate(s, claseNombre, min(maximo, MaxNombre))
}

func transliterate(s string, c clase, maximo int) string {
	told := s
	if !c.accepts(s, maximo) || !isTidy(s) {
		t := transliterador{clase: c, maximo: maximo}
		for _, r := range norm.NFC.String(s) {
			t.add(r)
		}
		told = t.texto.String()
	}
	if !HasWord(told) {
		return ""
	}
	return told
}

// isTidy tells whether s has no space at its ends and no two together.
func isTidy(s string) bool {
	return !strings.HasPrefix(s, " ") && !strings.HasSuffix(s, " ") && !strings.Contains(s, "  ")
}

// transliterador collects the text of one transliteration.
type transliterador struct {
	clase    clase
	maximo   int
	texto    strings.Builder
	longitud int
	// espacio is a space that is written only when something follows it, so
	// that the result is trimmed and collapsed wherever it is cut.
	espacio bool
	lleno   bool
}

// add writes a character or what stands for it. It ends, since a substitute
// is ASCII or in the class, and a decomposed character does not decompose.
func (t *transliterador) add(r rune) {
	if unicode.IsSpace(r) {
		t.espacio = t.longitud > 0
		return
	}
	if t.clase.has(r) {
		t.put(r)
		return
	}
	if sustituto, ok := sustitutos[r]; ok {
		t.addAll(sustituto)
		return
	}
	original := string(r)
	descompuesto := norm.NFKD.String(original)
	if descompuesto != original {
		t.addAll(descompuesto)
		return
	}
	t.drop(r)
}

func (t *transliterador) addAll(s string) {
	for _, r := range s {
		t.add(r)
	}
}

// drop leaves a character out. A sign or a foreign letter parts the words
// around it; an accent, an invisible character or a digit in a name does not.
func (t *transliterador) drop(r rune) {
	if unicode.In(r, unicode.M, unicode.Cc, unicode.Cf, unicode.Nd) {
		return
	}
	t.espacio = t.longitud > 0
}

// put writes a character of the class, unless the text is full: then nothing
// shorter that comes later is written either.
func (t *transliterador) put(r rune) {
	necesario := 1
	if t.espacio {
		necesario = 2
	}
	if t.lleno || t.longitud+necesario > t.maximo {
		t.lleno = true
		return
	}
	if t.espacio {
		t.texto.WriteByte(' ')
		t.espacio = false
	}
	t.texto.WriteRune(r)
	t.longitud += necesario
}
