package salud

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/uuid"
)

const (
	cifras   = "0123456789"
	hex      = cifras + "ABCDEF"
	alfabeto = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

type codigos struct{ *rand.Rand }

func (c codigos) of(alphabet string, length int) string {
	code := make([]byte, length)
	for i := range code {
		code[i] = alphabet[c.IntN(len(alphabet))]
	}
	return string(code)
}

// numbers gives digits, so many from least on.
func (c codigos) numbers(least, most int) string { return c.of(cifras, least+c.IntN(most-least+1)) }

// orden is the number of an order, a UUID, a lot, or the code of a room or a ticket, as systems
// of laboratories write them.
func (c codigos) orden() string {
	switch c.IntN(12) {
	case 0:
		return c.of(hex, 8+c.IntN(9)) + c.of(cifras, 1)
	case 1, 2:
		return uuid.Must(uuid.NewRandomFromReader(reader{c})).String()
	case 3:
		return c.of(alfabeto+cifras, 6+c.IntN(6)) + c.of(cifras, 1)
	case 4:
		return c.of(alfabeto, 1+c.IntN(3)) + c.numbers(2, 8)
	case 5:
		return c.of(alfabeto, 1+c.IntN(3)) + "-" + c.numbers(2, 6)
	case 6:
		return c.of(alfabeto, 2) + "-2026-" + c.numbers(3, 6)
	case 7:
		return "L" + c.numbers(4, 6) + c.of(alfabeto, 1+c.IntN(2)) // a lot
	case 8:
		return c.of(alfabeto, 1) + c.numbers(1, 3) // a room, a ticket
	case 9:
		return c.of(alfabeto, 1) + "-" + c.numbers(1, 3)
	case 10:
		return c.numbers(1, 4) + c.of(alfabeto, 1)
	default:
		return "2026/" + c.of(alfabeto, 2) + "/" + c.numbers(2, 5)
	}
}

// reader reads what its generator makes.
type reader struct{ codigos }

func (r reader) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(r.IntN(256))
	}
	return len(b), nil
}

// An event may carry the number of its order. None of 100,000 is taken for a term, in any case
// and place, since no letters are cut from the digits beside them.
func TestInActo_codesPass(t *testing.T) {
	t.Parallel()
	acts := []string{
		"Toma de muestra %s", "Entrega de resultados, folio %s", "Folio %s", "Cita (%s)", "%s Recepción de muestra", "Turno %s", "Consultorio %s", "Toma de muestra, cama %s",
		"Orden de laboratorio %s", "Lote %s recibido", "Ticket: %s", "Registro de paciente #%s",
	}
	c := codigos{rand.New(rand.NewPCG(23, 12))}
	for range 100_000 {
		code := c.orden()
		if c.IntN(3) == 0 {
			code = strings.ToLower(code)
		}
		texto := fmt.Sprintf(acts[c.IntN(len(acts))], code)
		if InActo(texto) || InDireccion(texto) {
			t.Errorf("%q is refused", texto)
		}
	}
}

// Of letters and digits that may be either, what is said around them decides.
func TestInActo_shortCodes(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"CD4", "Conteo de CD4", "Toma de muestra: CD4", "C.D.4", "DM2", "Paciente DM2", "T3 y T4", "T4 libre", "Perfil T3, T4", "Toma de muestra: T4L", "QS6", "Estudio: QS6", "A1C",
		"Prueba de V1H", "VIH1", "vih2", "S1DA", "s1da", "Sida2024", "2024SIDA", "C4NC3R", "D1ABETES", "COVID19", "CA125", "HbA1c", "BRCA1", "VIH-1", "Toma de muestra VPH-16", "Resultado VPH-16", "prueba VIH-123", "COVID-19",
	} {
		if !InActo(s) {
			t.Errorf("%q passes", s)
		}
	}
	for _, s := range []string{
		"Toma de muestra T4", "Toma de muestra C3", "Turno T3 y T4", "Sala C3", "Consultorio: C4", "Ticket T-4", "Toma de muestra 763CE6C1C4", "Muestra CD4", "Cama C-3", "TB-0012",
		"Orden 2026/VHC/71", "Entrega VIH2024001", "LH77", "Orden PCR-2026-0001",
	} {
		if InActo(s) {
			t.Errorf("%q is refused", s)
		}
	}
}

// What people mistype is a term all the same, and an ordinary word beside one is not.
func TestInActo_misspelt(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"canser de mama", "diavetes", "embarazzo", "ceropositivo", "Prueba de embrazo", "Hipertencion", "tuberculocis", "Consulta oncológica", "Cita oncologica", "TBC", "PVH",
		"Truvada", "Entrega de metformina", "ARV", "Surtido de ARV", "pregnancy test", "Pregnancy Test", "blood test", "metfromina", "quimoterapia", "leusemia", "ultrazonido", "mastografia",
		"Entrega de antirretrovirales", "dolutegravir", "positibo", "alsheimer: alzheimer", "HIV test", "canceres", "biopcia",
	} {
		if !InActo(s) {
			t.Errorf("%q passes", s)
		}
	}
	for _, s := range []string{
		"Entrega de factura", "Facturó el servicio", "Estación Hidalgo", "Registro de guardia", "Pago en cocina", "Visita de colega", "Alegría Sánchez", "Bautista Mérida", "Toma de muestra en Mérida",
		"Cita con el artista", "Aportó documentos", "Adición de datos", "Identificación biométrica", "Reactivar cuenta", "Cita en Oncología", "Topografía", "Resultado logrado", "Confusión de folios",
		"Trámite genérico", "Químico responsable", "Entrega a Paula Viñuela", "Inyección", "Vertido", "Calle Ciruela", "Liebre", "Prevista para mañana",
	} {
		if InActo(s) || InLugar(s) {
			t.Errorf("%q is refused", s)
		}
	}
}

// The distance is Damerau's: one letter more, less, changed, or two neighbours the other way
// round; two are too many, and short words are not compared.
func TestIndice_find(t *testing.T) {
	t.Parallel()
	const term = "diabetico"
	for i := range len(term) + 1 {
		for _, c := range alfabeto {
			letter := string(c + 'a' - 'A')
			if parecidos.find([]byte(term[:i]+letter+term[i:])) == nil {
				t.Errorf("%q with a %s at %d is not found", term, letter, i)
			}
			if i < len(term) && parecidos.find([]byte(term[:i]+letter+term[i+1:])) == nil {
				t.Errorf("%q with a %s for %d is not found", term, letter, i)
			}
		}
		if i < len(term) && parecidos.find([]byte(term[:i]+term[i+1:])) == nil {
			t.Errorf("%q without %d is not found", term, i)
		}
		if i+1 < len(term) && parecidos.find([]byte(term[:i]+term[i+1:i+2]+term[i:i+1]+term[i+2:])) == nil {
			t.Errorf("%q with %d and the next changed is not found", term, i)
		}
	}
	for _, s := range []string{"diabxtixo", "xxabetico", "", "sxda"} {
		if parecidos.find([]byte(s)) != nil {
			t.Errorf("%q is found", s)
		}
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"Sucursal Centro":                       "Sucursal Centro",
		"  Sucursal  Centro ":                   "  Sucursal  Centro ",
		"Pabellón de VIH":                       "Pabellón",
		"Pabellón de V.I.H. sur":                "Pabellón sur",
		"VIH":                                   "",
		"Pabellón (VIH)":                        "Pabellón",
		"Clínica de VIH, planta 2":              "Clínica, planta 2",
		"Módulo COVID-19, estacionamiento":      "Módulo, estacionamiento",
		"Clínica de la Diabetes e Hipertensión": "Clínica",
		"VIH Pabellón":                          "Pabellón",
		"Av. Juárez 5, edificio de Sífilis, Ñ":  "Av. Juárez 5, edificio, Ñ",
		"SÍ\u0301FILIS ala norte":               "ala norte",
	} {
		for name, got := range map[string]string{"place": WithoutLugar(s), "address": WithoutDireccion(s)} {
			if got != want {
				t.Errorf("%q as %s: got %q, want %q", s, name, got, want)
			}
		}
	}
	for _, s := range []string{"Calle Mercurio", "Hierro", "Torre TB, local BH", "Calle 5 RX-4", "Colonia Candida", "Privada Mérida"} {
		if got := WithoutDireccion(s); got != s {
			t.Errorf("%q: got %q, an address has such names", s, got)
		}
	}
}
