package inbound

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/uuid"
)

// The texts that the manual mandates (§8.2, §8.4), the final full stop of the first
// included and that of the second not.
const (
	textoActivacion    = "La solicitud de activación del reporte de búsqueda se recibió correctamente."
	textoDesactivacion = "Registro de finalización de búsqueda histórica guardado correctamente"
)

// activacionReal goes through a whole report, under an id of its own and for a CURP that
// nobody has, and leaves it deactivated.
func activacionReal() []Prueba {
	id := "CONFORMIDAD-" + uuid.NewString()
	m := muestra().with("id", id)
	all := []Prueba{
		{"S-04", "nada se activa sin datos válidos", posts(rutaActivar, m.without("curp").encode(), func(r respuesta) error {
			return r.wantRefusal(http.StatusBadRequest)
		})},
		{"1.6", "activar un reporte", posts(rutaActivar, m.encode(), accepted(textoActivacion))},
		{"3.2*", "activarlo otra vez responde lo mismo", posts(rutaActivar, m.encode(), accepted(textoActivacion))},
		{"1.8", "desactivar un reporte", posts(rutaDesactivar, ofID(id), accepted(textoDesactivacion))},
		{"1.8*", "desactivarlo otra vez responde lo mismo", posts(rutaDesactivar, ofID(id), accepted(textoDesactivacion))},
		{"3.2*", "desactivar un id desconocido responde lo mismo", posts(rutaDesactivar, ofID("CONFORMIDAD-"+uuid.NewString()), accepted(textoDesactivacion))},
	}
	for _, bad := range []any{nil, "", "A1B2C3D4", 1, []string{id}} {
		all = append(all, Prueba{"1.8", fmt.Sprintf("desactivar rechaza el id %v", bad),
			posts(rutaDesactivar, encode(map[string]any{"id": bad}), func(r respuesta) error {
				// §8.4 has no table of statuses; §10 says 400 or 422 (line 1197).
				return r.wantRefusal(http.StatusBadRequest, http.StatusUnprocessableEntity)
			})})
	}
	return all
}

func posts(ruta string, cuerpo []byte, check func(respuesta) error) func(context.Context, *cliente) error {
	return func(ctx context.Context, c *cliente) error {
		r, err := c.do(ctx, solicitud{ruta: ruta, cuerpo: cuerpo, token: c.token})
		if err != nil {
			return err
		}
		return check(r)
	}
}

func accepted(texto string) func(respuesta) error {
	return func(r respuesta) error { return r.wantMessage(texto) }
}

func ofID(id string) []byte { return encode(map[string]string{"id": id}) }
