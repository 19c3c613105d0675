// The operators: who there is, a new one, and what one needs who lost something.
import { act } from "../lib/act.js";
import { counted, state, text, timed, WIDE } from "../lib/columns.js";
import { button, field, foreign, h } from "../lib/dom.js";
import { actions, badged } from "../lib/parts.js";
import { reveal } from "../lib/reveal.js";

const factor = (more) => text("segundo_factor", "Segundo factor", {
  cell: (row) => (row.segundo_factor ? badged("bien", "Inscrito") : badged("espera", "Falta")), sort: (row) => Number(row.segundo_factor), ...more,
});

export const USUARIOS = {
  title: "Operadores", list: "usuarios", file: "operadores", one: "operador", many: "operadores",
  empty: "No hay operadores.",
  filters: [["estado", "Estado"]],
  fields: ["usuario", "estado", "segundo_factor", "codigos_recuperacion", "creado_en", "baja_en"],
  columns: [
    text("usuario", "Operador", { width: "minmax(9rem, 1.5fr)" }), state("estado", "Estado", { width: "minmax(7rem, .7fr)" }),
    factor({ ...WIDE, width: "minmax(9rem, 1fr)" }), counted("codigos_recuperacion", "Códigos que quedan", { ...WIDE, width: "minmax(11rem, 1fr)" }),
    timed("creado_en", "Alta", { ...WIDE, width: "minmax(10.5rem, 1fr)" }),
  ],
  details: [
    text("usuario", "Operador"), state("estado", "Estado"), factor(), counted("codigos_recuperacion", "Códigos de recuperación que quedan"),
    timed("creado_en", "Alta"), timed("baja_en", "Baja"),
  ],
  heading: (row) => ["Operador ", foreign(row.usuario)],
  actions: (row, _, doing) => row.estado === "activo" && ACTS.map((each) => button(each[0], () => doing((source) => ask(row, source, each)))),
  above: (_, source) => actions(button("Dar de alta a un operador", () => create(source), { class: "principal" })),
};

// What is asked before each act, and its route.
const ACTS = [
  ["Clave nueva", "Cambiar", "clave", "La anterior y sus tokens dejan de servir."],
  ["Quitar el segundo factor", "Quitar", "segundo-factor/quitar", "Para quien lo perdió, con sus códigos. Sus tokens dejan de servir, y al entrar inscribe otro."],
  ["Anular sus tokens", "Anular", "revocar-tokens", "Sale en el acto de donde haya entrado; puede entrar otra vez."],
  ["Dar de baja", "Dar de baja", "baja", "Su clave y sus tokens dejan de servir. Su nombre queda en la Bitácora y no se vuelve a dar."],
];

function ask({ usuario }, source, [title, verb, route, words]) {
  act({
    title: [title, ": ", foreign(usuario)], text: words, verb, done: `${title}: hecho.`,
    doing: async () => {
      const { data } = await source.client.post(`/operador/usuarios/${encodeURIComponent(usuario)}/${route}`, route === "clave" ? {} : undefined);
      source.refresh();
      return data.clave && (() => showClave(data));
    },
  });
}

function create(source) {
  const usuario = h("input", { required: true, maxlength: 64, pattern: "[A-Za-z0-9._\\-]{1,64}", autocapitalize: "none", autocomplete: "off", spellcheck: "false" });
  act({
    title: "Dar de alta a un operador", verb: "Dar de alta", done: "El operador quedó dado de alta.",
    text: "Enlace inventa su clave, que se muestra una vez. Donde se exige el segundo factor, lo inscribe al entrar.",
    controls: [field("Nombre con que entra", usuario, "Letras sin acento, dígitos y los signos . _ -")],
    doing: async () => {
      const { data } = await source.client.post("/operador/usuarios", { usuario: usuario.value.trim() });
      source.refresh();
      return () => showClave(data);
    },
  });
}

function showClave({ usuario, clave }) {
  reveal(["Operador ", foreign(usuario)], [["Usuario", usuario], ["Clave", clave]]);
}
