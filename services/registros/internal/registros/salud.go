package registros

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

// refuseHealth says so without repeating a word of it.
func (v *validador) refuseHealth(f *campo) {
	if f.obligatorio {
		v.refuse(f, CodigoDatoDeSalud)
		return
	}
	v.discard(f, CodigoDatoDeSalud, CodigoDatoDeSalud)
}
