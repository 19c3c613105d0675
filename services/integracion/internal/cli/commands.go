package cli

const (
	institucion = " --id-empresa LAB010101AB1"
	periodo     = " --desde 2026-01-01 --hasta 2026-06-30"
)

// nouns are the commands of two words.
var nouns = []noun{
	{"sesion", "La sesión con que un operador da órdenes", []command{
		{"abrir", "Abre una sesión con usuario, clave y segundo factor", "", openSesion, nil},
		{"mostrar", "De quién es la sesión y hasta cuándo", "", showSesion, nil},
		{"inscribir", "Inscribe otro segundo factor, con otro teléfono", "", enrolSegundoFactor, nil},
		{"cerrar", "Cierra la sesión: su token deja de servir, y esta máquina la olvida", "", closeSesion, nil},
	}},
	{"empresas", "Las instituciones", []command{
		{"crear", "Da de alta una institución, o las de un archivo", " --id LAB010101AB1 --nombre \"Laboratorio Uno\"\nintegracion empresas crear --archivo laboratorios.csv --simular", createEmpresas, nil},
		{"listar", "Todas las instituciones", "", listEmpresas, nil},
		{"mostrar", "Una institución, con los pasos de su alta", institucion, showEmpresa, []string{"id-empresa"}},
		{"cambiar", "Cambia lo que se dé de una institución", institucion + " --nombre \"Laboratorio Uno\" --sitio-descripcion \"Sucursal Centro\"", changeEmpresa, []string{"id-empresa"}},
		{"terminar-carga", "Declara terminada la carga inicial de una institución: desde entonces se busca y se avisa", institucion, endCarga, []string{"id-empresa"}},
		{"suspender", "Suspende una institución: sus llaves, tokens y entregas dejan de servir", institucion, suspendEmpresa, []string{"id-empresa"}},
		{"reanudar", "Reanuda una institución suspendida", institucion, resumeEmpresa, []string{"id-empresa"}},
	}},
	{"claves", "Las claves entre una institución y la plataforma", []command{
		{"entrada", "Fija la clave con que la plataforma entra a una institución", institucion, setClaveEntrada, []string{"id-empresa"}},
		{"salida", "Fija la clave con que una institución entra a la plataforma", institucion + " --url https://plataforma.example.mx/api", setClaveSalida, []string{"id-empresa", "url"}},
	}},
	{"usuarios", "Los operadores", []command{
		{"crear", "Da de alta a un operador; sin sesión, el primero, con los ajustes de integracion", " --usuario operadora", createUsuario, []string{"usuario"}},
		{"listar", "Todos los operadores", "", listUsuarios, nil},
		{"cambiar-clave", "Cambia la clave de un operador; sus tokens dejan de servir", " --usuario operadora", changeClave, []string{"usuario"}},
		{"revocar-tokens", "Anula los tokens de un operador", " --usuario operadora", revokeTokens, []string{"usuario"}},
		{"quitar-segundo-factor", "Quita el segundo factor de quien lo perdió; su próximo acceso lo inscribe", " --usuario operadora", removeSegundoFactor, []string{"usuario"}},
		{"baja", "Da de baja a un operador; su nombre sigue en la Bitácora", " --usuario operadora", removeUsuario, []string{"usuario"}},
	}},
	{"api-keys", "Las llaves de las instituciones", []command{
		{"emitir", "Emite una llave; sus secretos se muestran una vez", institucion + " --nombre producción --ambitos cliente,eventos", issueApiKey, []string{"id-empresa", "nombre", "ambitos"}},
		{"listar", "Las llaves de una institución, sin secretos", institucion, listApiKeys, []string{"id-empresa"}},
		{"rotar", "Emite otra igual; la anterior sigue sirviendo mientras la institución la cambia", " --key-id ABCDEFGHIJKLMNOPQRST --anterior-hasta 2026-12-31T00:00:00-06:00", rotateApiKey, []string{"key-id"}},
		{"por-vencer", "Las llaves de todas las instituciones que caducan pronto", " --dias 60", listPorVencer, nil},
		{"revocar", "Revoca una llave en menos de un segundo", " --key-id ABCDEFGHIJKLMNOPQRST", revokeApiKey, []string{"key-id"}},
	}},
	{"bitacora", "Quién hizo qué", []command{
		{"listar", "Los asientos de una institución, o los que no son de ninguna", institucion + periodo, listBitacora, nil},
	}},
	{"persona", "Una persona en todas las instituciones", []command{
		{"buscar", "¿Se avisó a la plataforma de esta persona, y cuándo? La CURP se lee de la entrada estándar", "", findPersona, nil},
	}},
	{"lotes", "Los envíos de las instituciones", []command{
		{"sumar", "Lo que sumó cada día reciente: registros recibidos, coincidencias y lo que tardó avisarlas", institucion, listCifras, []string{"id-empresa"}},
		{"mostrar", "Qué fue un lote: cuándo llegó, con qué llave y cómo quedaron sus registros", institucion + lote, showLote, []string{"id-empresa", "id-lote"}},
	}},
	{"registros", "Lo que una institución guarda de una persona: su derecho a verlo y a que se borre", []command{
		{"buscar", "Los de una persona, cuya CURP se lee de la entrada estándar, o el de un folio", institucion, findRegistros, []string{"id-empresa"}},
		{"borrar", "Borra los de una persona, o el de un folio; de lo notificado quedan hash e instante", institucion + " --simular\nintegracion registros borrar" + institucion + " --folio A-1", deleteRegistros, []string{"id-empresa"}},
	}},
	{"reportes", "Los reportes de la plataforma", []command{
		{"listar", "Los reportes de una institución y en qué va cada uno", institucion + " --estado activo", listReportes, []string{"id-empresa"}},
		{"mostrar", "Un reporte con sus ciclos, coincidencias e historia", institucion + reporte, showReporte, []string{"id-empresa", "reporte-id"}},
		{"reintentar-fin", "Vuelve a avisar del fin de una búsqueda que la plataforma rechazó", institucion + reporte, retryFin, []string{"id-empresa", "reporte-id"}},
		{"saltar-fin", "Da por rechazado el fin de una búsqueda que la plataforma no acepta", institucion + reporte, skipFin, []string{"id-empresa", "reporte-id"}},
		{"sin-abrir", "Muestra lo que la plataforma pidió y no abrió búsqueda, y lo da por revisado", institucion, reviewSinAbrir, []string{"id-empresa"}},
		{"rebuscar", "Busca otra vez para un reporte activo, o para todos, tras una carga tardía; lo ya avisado no se repite", institucion + reporte + "\nintegracion reportes rebuscar" + institucion + " --todos", searchAgain, []string{"id-empresa"}},
		{"reenviar", "Vuelve a decir a registros cómo está cada reporte, tras restaurarlo", "", resendReportes, nil},
	}},
	{"coincidencias", "Lo que se halló de las personas buscadas", []command{
		{"listar", "Las coincidencias de una institución, sin los datos de la persona", institucion + " --estado rechazada", listCoincidencias, []string{"id-empresa"}},
		{"reintentar", "Vuelve a notificar una coincidencia, o todas las rechazadas, atascadas o contestadas con 300", institucion + coincidencia + "\nintegracion coincidencias reintentar" + institucion + " --todas --cuales multiples --simular", retryCoincidencias, []string{"id-empresa"}},
		{"saltar", "Da por rechazada una coincidencia que la plataforma no acepta; lo que sigue no la espera", institucion + coincidencia, skipCoincidencia, []string{"id-empresa", "id"}},
	}},
	{"entregas", "Lo que sale hacia la plataforma", []command{
		{"pausar", "Retiene las entregas de una institución; nada se pierde", institucion, pauseEntregas, []string{"id-empresa"}},
		{"reanudar", "Deja salir las entregas retenidas", institucion, resumeEntregas, []string{"id-empresa"}},
	}},
	{"evidencia", "La evidencia de lo hecho, que un tercero puede comprobar", []command{
		{"exportar", "Escribe la evidencia firmada de una institución; sin periodo, la de todo el tiempo", institucion + " --archivo evidencia.jsonl\nintegracion evidencia exportar" + institucion + periodo + " --formato html > evidencia.html", exportEvidencia, []string{"id-empresa"}},
		{"verificar", "Comprueba un archivo de evidencia sin conexión: dice la línea que cambió, falta o está fuera de orden", " evidencia.jsonl --llave llave.pem", verifyEvidencia, []string{archivo}},
		{"llave", "Las llaves públicas con que se comprueba la evidencia", " --pem > llave.pem", showLlaveEvidencia, nil},
	}},
	{"secretos", "Los secretos guardados", []command{
		{"recifrar", "Vuelve a cifrar con la primera de ENCRYPTION_KEYS lo que cifraron las demás", "", resealSecretos, nil},
	}},
}

const lote = " --id-lote 01a1fc0f-3de2-7538-a050-25601f36e900"

const coincidencia = " --id 01a1fc0f-3de2-7538-a050-25601f36e900"

const reporte = " --reporte-id LAB01-8f14e45f-ceea-467f-a8d5-1c2a5b0c1d2e"

// verbs are the commands of one word.
var verbs = []command{
	{"estado", "Lo que necesita a alguien, de un vistazo", "", showEstado, nil},
	{"reaplicar", "Tras restaurar la base de datos, y antes de servir: vuelve a anular las llaves y claves que ya no valían", "", reapply, nil},
	{"resincronizar", "Compara con la lista de la plataforma", institucion, resyncReportes, nil},
}
