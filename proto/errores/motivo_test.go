package errores

import (
	"strings"
	"testing"

	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

// contractTable is contract.md section 3, and beside it the statuses of the manual's routes.
var contractTable = map[string][2]int{
	"json_invalido":           {400, 400},
	"parametro_no_admitido":   {400, 400},
	"credencial_ausente":      {401, 401},
	"credencial_invalida":     {401, 401},
	"credencial_revocada":     {401, 401},
	"credencial_caducada":     {401, 401},
	"sin_permiso":             {403, 403},
	"no_encontrado":           {404, 404},
	"metodo_no_permitido":     {405, 405},
	"conflicto":               {409, 400},
	"cuerpo_demasiado_grande": {413, 413},
	"tipo_no_admitido":        {415, 400},
	"lote_vacio":              {422, 400},
	"lote_excedido":           {422, 400},
	"validacion":              {422, 400},
	"demasiadas_solicitudes":  {429, 429},
	"interno":                 {500, 500},
	"no_disponible":           {503, 503},
	"tiempo_agotado":          {504, 504},
}

func TestStatus_isTheContracts(t *testing.T) {
	for number, name := range erroresv1.Motivo_name {
		motivo := erroresv1.Motivo(number)
		if motivo == erroresv1.Motivo_MOTIVO_UNSPECIFIED {
			continue
		}
		codigo := strings.ToLower(strings.TrimPrefix(name, "MOTIVO_"))
		if Codigo(motivo) != codigo || Titulo(motivo) == "" || Causa(motivo) == "" || Cura(motivo) == "" {
			t.Errorf("%s: errores.proto does not say what it is called, why it happens and what to do", name)
		}
		got := [2]int{Status(motivo), PlatformStatus(motivo)}
		if want := contractTable[codigo]; got != want {
			t.Errorf("%s: got %v, want %v", codigo, got, want)
		}
	}
	if len(fallas) != len(contractTable) {
		t.Errorf("%d reasons have a status, %d stand in the contract", len(fallas), len(contractTable))
	}
}

func TestStatus_ofAReasonOfALaterVersion(t *testing.T) {
	for _, unknown := range []erroresv1.Motivo{erroresv1.Motivo_MOTIVO_UNSPECIFIED, 999} {
		if Status(unknown) != 500 || PlatformStatus(unknown) != 500 {
			t.Errorf("%d: got %d and %d", unknown, Status(unknown), PlatformStatus(unknown))
		}
	}
}
