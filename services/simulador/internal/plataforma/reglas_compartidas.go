package plataforma

import "regexp"

// Rules that more than one endpoint uses.
var (
	// reglaID: <FUB>-<UUID>. The FUB is opaque and may hold hyphens, so only the
	// last 36 characters are looked into; the manual's minimum of 36 leaves room
	// for a bare UUID (pui.md 2.1).
	reglaID = texto(36, 75, regexp.MustCompile(
		`^(?:[!#$&-;=?-~]*-)?[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$`))

	reglaInstitucionID = texto(4, 13, regexp.MustCompile(`^[A-Z0-9]{4,13}$`))

	reglaClave = texto(1, 50, nil)
)

// camposLogin is the table of §7.1.
var camposLogin = []campo{
	{"institucion_id", true, reglaInstitucionID},
	{"clave", true, reglaClave},
}

// camposFinalizada is the table of §7.3: no CURP, nothing else.
var camposFinalizada = []campo{
	{"id", true, reglaID},
	{"institucion_id", true, reglaInstitucionID},
}

// checkFinalizada judges the body of /busqueda-finalizada (§7.3).
func checkFinalizada(cuerpo map[string]any, institucionID string) Errores {
	errores := checkObject("", cuerpo, camposFinalizada)
	return append(errores, checkOwner(cuerpo, institucionID)...)
}

// checkOwner refuses a body that speaks for another institution than the one
// the token was given to. A missing or misshapen id has its own message.
func checkOwner(cuerpo map[string]any, institucionID string) Errores {
	dicho, ok := cuerpo["institucion_id"].(string)
	if !ok || len(reglaInstitucionID("", dicho)) > 0 || dicho == institucionID {
		return nil
	}
	return Errores{"'institucion_id' no corresponde al token"}
}
