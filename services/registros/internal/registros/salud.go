package registros

// maxSanos bounds what is remembered of the texts of a batch.
const maxSanos = 256

// sano is a text that was looked at as the value of a field, and let in.
type sano struct {
	campo *campo
	texto string
}

// namesHealth asks the gate of contract.md 4.1, once for each text of a batch.
func (v *validador) namesHealth(f *campo, texto string) bool {
	if f.namesHealth == nil {
		return false
	}
	known := sano{campo: f, texto: texto}
	_, ok := v.sanos[known]
	if ok {
		return false
	}
	if f.namesHealth(texto) {
		return true
	}
	if len(v.sanos) < maxSanos {
		v.sanos[known] = struct{}{}
	}
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
