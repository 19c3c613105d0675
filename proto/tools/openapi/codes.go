package main

// A codigo is one way in which a request can fail (contract.md section 3), with what the
// documents say of it.
type codigo struct {
	nombre string
	status int
	titulo string // as the gateway answers it; a test of the gateway's compares
	detail string // of the example
	causa  string
	cura   string
	errors []entry // of the example
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
var codigos = []codigo{
	{
		nombre: "json_invalido", status: 400, titulo: "El cuerpo no se pudo leer",
		detail: "El cuerpo no es JSON o no tiene la forma documentada.",
		causa: "El cuerpo no es JSON, está vacío o incompleto, no es UTF-8, trae contenido después del JSON, un campo que no existe, " +
			"un campo repetido o un tipo que no corresponde (por ejemplo, un número donde va un texto).",
		cura: "`errores[0]` dice dónde: `puntero` es el lugar como JSON Pointer y `byte` la posición en el cuerpo. Corrija a quien arma el JSON; " +
			"repetir la misma solicitud da la misma respuesta. Ningún campo médico existe: si su sistema los agrega, quítelos.",
		errors: []entry{{Puntero: "/registros/0/estudio", Codigo: "campo_desconocido", Mensaje: "Este campo no existe.", Byte: new(58)}},
	},
	{
		nombre: "parametro_no_admitido", status: 400, titulo: "La ruta no admite ese parámetro",
		detail: "El parámetro «page» no se admite: esta ruta no recibe parámetros en la dirección.",
		causa:  "La dirección lleva parámetros (`?page=2`). Ninguna ruta de `/cliente` los tiene.",
		cura:   "Quítelos. Las listas llegan siempre completas: no hay páginas, filtros ni orden que pedir.",
	},
	{
		nombre: "credencial_ausente", status: 401, titulo: "Falta la credencial",
		detail: "Falta la llave de la institución en la cabecera X-API-Key.",
		causa:  "La solicitud no trae la cabecera `X-API-Key` (o `Authorization`, donde la ruta pide un token), o a un evento le falta la firma.",
		cura:   "Envíela. Si la envía, busque un proxy intermedio que la retire.",
	},
	{
		nombre: "credencial_invalida", status: 401, titulo: "La credencial no es válida",
		detail: "La llave no es válida.",
		causa: "La llave está mal copiada, no existe o es de otro ambiente; o el token venció o no es de este servicio; " +
			"o la firma de un evento no corresponde. La respuesta no dice cuál, para no revelar qué llaves existen.",
		cura: "Copie la llave completa, sin espacios. Si persiste, pida otra al operador. No reintente sin corregir.",
	},
	{
		nombre: "credencial_revocada", status: 401, titulo: "La credencial fue revocada",
		detail: "La llave fue revocada.",
		causa:  "La llave es auténtica, pero el operador la revocó.",
		cura:   "Use la llave que la sustituye o pida una nueva.",
	},
	{
		nombre: "credencial_caducada", status: 401, titulo: "La credencial caducó",
		detail: "La llave caducó.",
		causa:  "La llave o el token son auténticos, pero su vigencia terminó.",
		cura:   "Pida una llave nueva al operador; si es un token, obtenga otro en `/login`.",
	},
	{
		nombre: "sin_permiso", status: 403, titulo: "La credencial no tiene permiso",
		detail: "La credencial no tiene el ámbito \"cliente\".",
		causa:  "La credencial es válida, pero no tiene el ámbito o el rol que la ruta pide.",
		cura:   "Pida al operador una llave con el ámbito `cliente` (o `eventos`, para enviar eventos).",
	},
	{
		nombre: "no_encontrado", status: 404, titulo: "No se encontró",
		detail: "La ruta no existe.",
		causa:  "La ruta o el recurso no existe. Lo que pertenece a otra institución se ve igual.",
		cura:   "Revise la dirección letra por letra: una diagonal de más al final ya es otra ruta.",
	},
	{
		nombre: "metodo_no_permitido", status: 405, titulo: "El método no está permitido",
		detail: "La ruta no admite este método.",
		causa:  "La ruta existe, pero no con ese método HTTP.",
		cura:   "Use uno de los que enumera la cabecera `Allow`.",
	},
	{
		nombre: "conflicto", status: 409, titulo: "Lo enviado contradice lo guardado",
		detail: "Ya se recibió otro evento con ese identificador.",
		causa:  "Se envió un evento con el `id` de otro que ya se recibió, y el cuerpo es distinto.",
		cura:   "Dé a cada evento un `id` propio. Si el registro cambió, envíe un evento nuevo.",
	},
	{
		nombre: "cuerpo_demasiado_grande", status: 413, titulo: "El cuerpo es demasiado grande",
		detail: "El cuerpo excede el tamaño admitido.",
		causa:  "El cuerpo, ya descomprimido, pasa de 16 MiB en `/cliente/registros*` o de 1 MiB en las demás rutas.",
		cura:   "Divida el envío. Comprimir no ayuda: el límite se aplica a lo descomprimido.",
	},
	{
		nombre: "tipo_no_admitido", status: 415, titulo: "El tipo de contenido no se admite",
		detail: "El Content-Type debe ser application/json.",
		causa:  "El `Content-Type` no es `application/json`, o el `Content-Encoding` no es `gzip`.",
		cura:   "Envíe `Content-Type: application/json` (con o sin `charset=utf-8`) y comprima solo con gzip, o no comprima.",
	},
	{
		nombre: "lote_vacio", status: 422, titulo: "El lote no trae registros",
		detail: "El cuerpo no trae registros; envíe al menos uno.",
		causa:  "`registros` falta, es nulo o no tiene elementos.",
		cura:   "No haga la solicitud cuando no haya nada que enviar.",
	},
	{
		nombre: "lote_excedido", status: 422, titulo: "El lote trae demasiados registros",
		detail: "Esta ruta admite hasta 5000 registros por solicitud; divida el envío.",
		causa:  "Hay más registros de los que la ruta admite: 100 en `/cliente/registros`, 5000 en `validar` y `lote`.",
		cura:   "Divida el envío en varios. No se guardó ninguno.",
	},
	{
		nombre: "validacion", status: 422, titulo: "El contenido no es válido",
		detail: "1 de 2 registros tienen errores; no se guardó ninguno.",
		causa:  "El JSON se leyó bien, pero algún dato rompe una regla. No se guardó nada.",
		cura: "`errores` trae todos los problemas de una vez, con `indice`, `folio` y `puntero`. Corrija esos registros y repita, " +
			"o use `lote`, que guarda los demás.",
		errors: []entry{{
			Indice: new(1), Folio: new("A-2"), Puntero: "/registros/1/curp", Codigo: "formato",
			Mensaje: "La CURP debe tener 18 caracteres con la estructura oficial.",
		}},
	},
	{
		nombre: "demasiadas_solicitudes", status: 429, titulo: "Demasiadas solicitudes",
		detail: "Se excedió el ritmo de solicitudes. Espere antes de repetir.",
		causa:  "Se excedió el ritmo de solicitudes, o hubo demasiados intentos fallidos de inicio de sesión.",
		cura:   "Espere los segundos que indica `Retry-After` y repita la misma solicitud. `RateLimit-Policy` dice cuál es el límite.",
	},
	{
		nombre: "interno", status: 500, titulo: "Falla interna",
		detail: "Ocurrió una falla interna. Repita la solicitud; si persiste, reporte el request_id.",
		causa:  "El servicio falló por algo que no depende de usted.",
		cura:   "Repita la solicitud más tarde: no se guarda nada a medias. Si persiste, dé el `request_id` al operador.",
	},
	{
		nombre: "no_disponible", status: 503, titulo: "El servicio no está disponible",
		detail: "El servicio no está disponible por el momento. Repita la solicitud en unos segundos.",
		causa:  "Una parte del servicio está reiniciando o no responde. No quedó nada a medias.",
		cura:   "Espere los segundos de `Retry-After` y repita la misma solicitud.",
	},
	{
		nombre: "tiempo_agotado", status: 504, titulo: "Se agotó el tiempo",
		detail: "La solicitud tardó más de lo permitido. Puede repetirse sin riesgo.",
		causa:  "La solicitud tardó más de lo permitido. Pudo haberse guardado o no.",
		cura:   "Repítala igual: lo que ya se guardó saldrá como `sin_cambios`. Si sucede a menudo, envíe lotes más pequeños.",
	},
}

func findCodigo(nombre string) (codigo, bool) {
	for _, each := range codigos {
		if each.nombre == nombre {
			return each, true
		}
	}
	return codigo{}, false
}
