package main

import "github.com/enlace-iis/enlace/proto/errores"

// A codigo is one way in which a request can fail (contract.md section 3): a Motivo with an
// example. What it is called, why it happens and what to do stand in errores.proto.
type codigo struct {
	nombre string
	status int
	titulo string
	causa  string
	cura   string
	failure
}

// failure is what an example says.
type failure struct {
	detail string
	errors []entry
}

// An entry is one of the example's `errores`.
type entry struct {
	Indice  *int    `json:"indice"`
	Folio   *string `json:"folio"`
	Puntero string  `json:"puntero"`
	Codigo  string  `json:"codigo"`
	Mensaje string  `json:"mensaje"`
	Byte    *int    `json:"byte,omitempty"`
}

// codigos are in the order of the contract's table.
func codigos() []codigo {
	var all []codigo
	for _, motivo := range errores.Motivos() {
		nombre := errores.Codigo(motivo)
		all = append(all, codigo{
			nombre: nombre, status: errores.Status(motivo), titulo: errores.Titulo(motivo),
			causa: errores.Causa(motivo), cura: errores.Cura(motivo), failure: failures[nombre],
		})
	}
	return all
}

// failures are the examples, by codigo.
var failures = map[string]failure{
	"json_invalido":           {detail: "El cuerpo no es JSON o no tiene la forma documentada.", errors: []entry{{Puntero: "/origen", Codigo: "campo_desconocido", Mensaje: "Este campo no existe.", Byte: new(58)}}},
	"parametro_no_admitido":   {detail: "El parámetro «page» no se admite: esta ruta no recibe parámetros en la dirección."},
	"credencial_ausente":      {detail: "Falta la llave de la institución en la cabecera X-API-Key."},
	"credencial_invalida":     {detail: "La llave no es válida."},
	"credencial_revocada":     {detail: "La llave fue revocada."},
	"credencial_caducada":     {detail: "La llave caducó."},
	"sin_permiso":             {detail: "La credencial no tiene el ámbito \"cliente\"."},
	"no_encontrado":           {detail: "La ruta no existe."},
	"metodo_no_permitido":     {detail: "La ruta no admite este método."},
	"conflicto":               {detail: "Ya se recibió otro evento con ese identificador."},
	"cuerpo_demasiado_grande": {detail: "El cuerpo excede el tamaño admitido."},
	"tipo_no_admitido":        {detail: "El Content-Type debe ser application/json."},
	"lote_vacio":              {detail: "El cuerpo no trae registros; envíe al menos uno."},
	"lote_excedido":           {detail: "Esta ruta admite hasta 5000 registros por solicitud; divida el envío."},
	"validacion": {detail: "1 de 2 registros tienen errores; no se guardó ninguno.", errors: []entry{{
		Indice: new(1), Folio: new("A-2"), Puntero: "/registros/1/curp", Codigo: "formato",
		Mensaje: "La CURP debe tener 18 caracteres con la estructura oficial.",
	}}},
	"demasiadas_solicitudes": {detail: "Se excedió el ritmo de solicitudes. Espere antes de repetir."},
	"interno":                {detail: errores.DetalleInterno},
	"no_disponible":          {detail: errores.DetalleNoDisponible},
	"tiempo_agotado":         {detail: errores.DetalleTiempoAgotado},
}

func findCodigo(nombre string) (codigo, bool) {
	for _, each := range codigos() {
		if each.nombre == nombre {
			return each, true
		}
	}
	return codigo{}, false
}
