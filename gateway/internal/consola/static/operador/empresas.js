// All institutions, and a new one.
import { act } from "../lib/act.js";
import { coded, counted, state, text, timed, WIDE } from "../lib/columns.js";
import { button, field, foreign, h } from "../lib/dom.js";
import { reveal } from "../lib/reveal.js";
import { dayText, number } from "../lib/time.js";

// The steps of joining, in the order in which they are usually done.
export const PASOS = [
  ["clave_entrada", "Clave para que entre la plataforma"],
  ["clave_salida", "Dirección y clave para entrar a la plataforma"],
  ["sitio", "Lugar propio, el de los eventos que no dicen el suyo"],
  ["llave", "Llave de la API"],
  ["primer_uso", "La institución usó su llave"],
  ["primer_registro", "Primer registro"],
  ["carga_terminada", "Carga inicial terminada"],
  ["primera_activacion_prueba", "Primera activación de prueba"],
  ["primer_reporte", "Primer reporte"],
];

const stepsDone = (row) => PASOS.filter(([name]) => row.pasos?.[name]).length;
const activity = (name) => (row) => row.actividad?.[name];

export const EMPRESAS = {
  title: "Instituciones", list: "empresas", file: "instituciones", one: "institución", many: "instituciones",
  empty: "Todavía no hay instituciones.",
  filters: [["estado", "Estado"]],
  fields: ["id_empresa", "nombre", "institucion_id", "estado", "url_base", "pui_url", "entrega_pausada_en", "creada_en", "reportes_activos", "llaves_activas", "llave_caduca_en"],
  columns: [
    text("nombre", "Institución", { width: "minmax(11rem, 2fr)" }),
    coded("id_empresa", "RFC", { ...WIDE, width: "minmax(8.5rem, 1fr)" }),
    state("estado", "Estado", { width: "minmax(7.5rem, .8fr)" }),
    counted("pasos", "Pasos", { ...WIDE, cell: (row) => `${stepsDone(row)} de ${PASOS.length}`, sort: stepsDone, width: "minmax(4.75rem, .6fr)" }),
    counted("reportes_activos", "Reportes", { ...WIDE, width: "minmax(6.5rem, .6fr)" }),
    counted("esperan", "Esperan", { ...WIDE, cell: (row) => attention(activity("coincidencias_pendientes")(row), "espera"), sort: activity("coincidencias_pendientes"), width: "minmax(6.5rem, .6fr)" }),
    counted("rechazadas", "Rechazadas", { ...WIDE, cell: (row) => attention(activity("coincidencias_rechazadas")(row), "mal"), sort: activity("coincidencias_rechazadas"), width: "minmax(8rem, .6fr)" }),
    timed("ultimo", "Registro", { ...WIDE, cell: (row) => lastRecord(row), sort: activity("ultimo_registro_en"), width: "minmax(7rem, 1fr)" }),
  ],
  open: (row, page) => page.go("/institucion", { id: row.id_empresa }),
  above: (page, source) => h("div", { class: "acciones" }, button("Dar de alta una institución", () => create(source, page), { class: "principal" })),
};

function attention(value, kind) {
  if (value === undefined || value === null) return foreign(null);
  return value > 0 ? h("span", { class: `insignia ${kind}` }, number(value)) : number(value);
}

function lastRecord(row) {
  const when = activity("ultimo_registro_en")(row);
  return when ? h("time", { datetime: when, title: when }, dayText(when.slice(0, 10))) : foreign(null);
}

function create(source, page) {
  const [id, nombre, url] = [h("input", { required: true, autocapitalize: "characters", spellcheck: "false" }), h("input", { required: true }), h("input", { type: "url" })];
  const sinCarga = h("input", { type: "checkbox" });
  act({
    title: "Dar de alta una institución", verb: "Dar de alta", done: "La institución quedó dada de alta.",
    controls: [field("RFC con homoclave", id), field("Nombre", nombre), field("Dirección de la plataforma", url, "Puede fijarse después, con su clave."),
      field("No tiene registros anteriores que cargar", sinCarga, "Si los tiene, nada se busca ni se avisa hasta que termine su carga inicial.")],
    doing: async () => {
      const nueva = { id_empresa: id.value.trim(), nombre: nombre.value.trim(), pui_url: url.value.trim() || null, sin_carga: sinCarga.checked };
      const { data } = await source.client.post("/operador/empresas", { empresas: [nueva] });
      source.refresh();
      return () => {
        page.go("/institucion", { id: nueva.id_empresa });
        showAccess(data.empresas[0]);
      };
    },
  });
}

// showAccess shows what is typed into the platform's portal.
export function showAccess(acceso) {
  reveal("Para el portal de la plataforma", [["Dirección", acceso.url_base], ["Usuario", acceso.usuario], ["Clave", acceso.clave]]);
}
