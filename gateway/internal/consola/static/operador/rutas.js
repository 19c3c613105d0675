// Where an institution's things lie.
export const empresaPath = (id) => `/operador/empresas/${encodeURIComponent(id)}`;
export const reportesPath = (id) => `${empresaPath(id)}/reportes`;
export const reportePath = (id, reporteId) => `${reportesPath(id)}/${encodeURIComponent(reporteId)}`;
export const coincidenciasPath = (id) => `${empresaPath(id)}/coincidencias`;
export const cifrasPath = (id) => `${empresaPath(id)}/cifras`;
