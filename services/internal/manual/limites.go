package manual

// MaxFolio is ours (contract.md 4.1), and held by both services.
const MaxFolio = 64

// The greatest number of characters that the platform takes in each field of
// a notification (pui.md 1.2). The institutions' contract (contract.md 4.1)
// has the same bounds, so that a stored text never has to be cut.
const (
	MaxNombre                 = 50 // each of nombre, primer_apellido, segundo_apellido
	MaxTelefono               = 15
	MaxCorreo                 = 50
	MaxDireccion              = 500
	MaxCalle                  = 50
	MaxNumero                 = 20
	MaxColonia                = 50
	MaxMunicipioOAlcaldia     = 100
	MaxEntidadFederativa      = 40
	MaxTipoEvento             = 500
	MaxDescripcionLugarEvento = 500
)

// TipoEventoNeutro stands for a tipo_evento that cannot be kept or told, unless the institution has
// a neutral text of its own: the event is what the search needs, not its words (manual, line 564).
const TipoEventoNeutro = "Atención administrativa"
