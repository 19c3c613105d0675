package registros

import "github.com/enlace-iis/enlace/services/internal/manual"

// maxSanos bounds what is remembered of the texts of a batch.
const maxSanos = 256

// sano is a text that was looked at as the value of a field, and let in.
type sano struct {
	campo *campo
	texto string
}

func (v *validador) isSano(s sano) bool {
	_, ok := v.sanos[s]
	return ok
}

func (v *validador) remember(s sano) {
	if len(v.sanos) < maxSanos {
		v.sanos[s] = struct{}{}
	}
}

// namesHealth asks the gate of contract.md 4.1, once for each text of a batch.
func (v *validador) namesHealth(f *campo, texto string) bool {
	if f.namesHealth == nil {
		return false
	}
	known := sano{campo: f, texto: texto}
	if v.isSano(known) {
		return false
	}
	if f.namesHealth(texto) {
		return true
	}
	v.remember(known)
	return false
}

// cleared gives what is kept of a text that says something of a person's health, and says so
// without repeating a word of it. It never costs the record: the gate protects the text, and
// the person is what is searched for.
func (v *validador) cleared(f *campo, s string) string {
	kept := manual.TipoEventoNeutro
	if f.withoutHealth != nil {
		kept = f.withoutHealth(s)
		if f.namesHealth(manual.TransliterateTexto(kept, f.maximo)) {
			kept = ""
		}
	}
	v.tell(f, CodigoDatoDeSalud, GravedadAdvertencia, func() string { return mensajeDatoDeSalud(f, kept) })
	return kept
}
