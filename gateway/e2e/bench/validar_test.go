package bench

import (
	"github.com/bytedance/sonic"
	"github.com/go-json-experiment/json"
)

// strictSonic refuses what go-json-experiment refuses by itself, as far as sonic can.
var strictSonic = sonic.Config{DisallowUnknownFields: true, ValidateString: true, UseUnicodeErrors: true}.Froze()

// validar compares the whole answer with reading the same JSON strictly.
func validar(s *session) {
	text := body(s.tb, s.fresh(batchSize, true))
	type lote struct {
		Registros []registro `json:"registros"`
	}
	read := func(decode func(into *lote) error) func() float64 {
		return func() float64 {
			return took(func() {
				var into lote
				err := decode(&into)
				if err != nil || len(into.Registros) != batchSize {
					s.tb.Errorf("%d records read: %v", len(into.Registros), err)
				}
			})
		}
	}
	s.rounds("",
		side{ours, func() float64 { return took(func() { s.ours.post("/cliente/registros/validar", text) }) }},
		side{"go-json-experiment", read(func(into *lote) error { return json.Unmarshal(text, into, json.RejectUnknownMembers(true)) })},
		side{"sonic", read(func(into *lote) error { return strictSonic.Unmarshal(text, into) })},
	)
}
