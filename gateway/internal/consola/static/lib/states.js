// The words of a state, and how it looks: well, waiting, bad or over.
import { foreign, h } from "./dom.js";

const STATES = {
  en_busqueda: ["En búsqueda", "espera"],
  monitoreo: ["Monitoreo", "bien"],
  cerrado: ["Cerrado", "fin"],
  pendiente: ["Pendiente", "espera"],
  notificada: ["Notificada", "bien"],
  rechazada: ["Rechazada", "mal"],
  cancelada: ["Cancelada", "fin"],
  activacion: ["Activación", "bien"],
  activacion_prueba: ["Prueba", "espera"],
  desactivacion: ["Desactivación", "fin"],
  activa: ["Activa", "bien"],
  suspendida: ["Suspendida", "mal"],
  activo: ["Activo", "bien"],
  desactivado: ["Desactivado", "fin"],
  baja: ["De baja", "fin"],
  caducada: ["Caducada", "fin"],
  revocada: ["Revocada", "fin"],
};

export const FASES = { 1: "1 · Datos básicos", 2: "2 · Histórica", 3: "3 · Continua" };

export function stateName(state) {
  return STATES[state]?.[0] ?? state;
}

export function badge(state) {
  return h("span", { class: `insignia ${STATES[state]?.[1] ?? "fin"}` }, foreign(stateName(state)));
}
