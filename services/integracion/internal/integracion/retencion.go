package integracion

// CURPDepurada stands for a CURP that was removed: it keeps the form that clients of the
// lists read, and is nobody's. The index avisos_por_depurar_idx leaves it out.
const CURPDepurada = "XXXXXXXXXXXXXXXXXX"

// AccionDepurar names in the Bitácora that the personal data of a Reporte was removed: the
// proof that it was (pui.md 3.3).
const AccionDepurar = "reporte_depurado"
