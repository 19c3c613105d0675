package errores

// What a client reads when the reason is ours and the details are not for it, whichever
// program says it.
const (
	DetalleInterno       = "Ocurrió una falla interna. Repita la solicitud; si persiste, reporte el request_id."
	DetalleNoDisponible  = "El servicio no está disponible por el momento. Repita la solicitud en unos segundos."
	DetalleTiempoAgotado = "La solicitud tardó más de lo permitido. Puede repetirse sin riesgo."
)

// What more than one program refuses.
const (
	DetalleSinFirma           = "Falta la firma del evento: las cabeceras webhook-id, webhook-timestamp y webhook-signature."
	DetalleCredencialInvalida = "La credencial no es válida."
	DetalleReporteInactivo    = "El reporte ya no está activo."
	DetalleSinCoincidencia    = "No existe esa coincidencia."
	DetalleFinNoRechazado     = "El fin de la búsqueda no está rechazado."
	DetalleCuerpoGrande       = "El cuerpo excede el tamaño admitido."
	DetalleCuerpoLento        = "El cuerpo llegó demasiado despacio. Puede repetirse sin riesgo."
)

// FormaCURP is what a client reads of a CURP that is none, wherever it gave it.
const FormaCURP = "La CURP debe tener 18 caracteres con la estructura oficial."
