package plataforma

import "fmt"

// Ruta is one of the platform's own endpoints (manual §7), without the slash.
type Ruta string

// The four endpoints that institutions call.
const (
	RutaLogin                 Ruta = "login"
	RutaNotificarCoincidencia Ruta = "notificar-coincidencia"
	RutaBusquedaFinalizada    Ruta = "busqueda-finalizada"
	RutaReportes              Ruta = "reportes"
)

// ParseRuta tells which endpoint a name means.
func ParseRuta(nombre string) (Ruta, error) {
	switch ruta := Ruta(nombre); ruta {
	case RutaLogin, RutaNotificarCoincidencia, RutaBusquedaFinalizada, RutaReportes:
		return ruta, nil
	default:
		return "", Errores{fmt.Sprintf("'ruta' debe ser %s, %s, %s o %s",
			RutaLogin, RutaNotificarCoincidencia, RutaBusquedaFinalizada, RutaReportes)}
	}
}
