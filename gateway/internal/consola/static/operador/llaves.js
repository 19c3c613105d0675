// The keys of an institution: issued, shown once, rotated and revoked.
import { act } from "../lib/act.js";
import { button, field, foreign, h, visible } from "../lib/dom.js";
import { drawn, Followed } from "../lib/followed.js";
import { actions, coded, plainTable, section } from "../lib/parts.js";
import { reveal } from "../lib/reveal.js";
import { badge } from "../lib/states.js";
import { instant } from "../lib/time.js";

// llaves gives the section and what it follows.
export function llaves(session, id) {
  const source = new Followed(session.client, `/webhooks/api-keys/${encodeURIComponent(id)}`);
  const load = () => source.refresh();
  const table = drawn([source], (keys) => plainTable("Llaves de la institución", HEADINGS, keys.map((key) => keyRow(key, session, load)), "Ninguna todavía."));
  return { element: section("Llaves", table, actions(button("Emitir una llave", () => issue(session, id, load)))), sources: [source] };
}

const HEADINGS = ["Para qué", "Empieza con", "Ámbitos", "Estado", "Último uso", "Caduca", null];

function keyRow(key, session, load) {
  const does = (verb, doing, more) => button(verb, () => doing(session, key, load), { "aria-label": `${verb} la llave ${visible(key.nombre)}`, ...more });
  return [
    foreign(key.nombre), coded(`${key.prefijo}…`), foreign(key.ambitos.join(", ")), badge(key.estado), instant(key.ultimo_uso_en), instant(key.caduca_en),
    key.estado === "activa" && actions(does("Rotar", rotate), does("Revocar", revoke, { class: "grave" })),
  ];
}

function issue(session, id, load) {
  const [nombre, caduca] = [h("input", { required: true, maxlength: 100 }), h("input", { type: "date" })];
  const scopes = ["cliente", "eventos"].map((name) => h("input", { type: "checkbox", id: `ambito-${name}`, value: name, checked: name === "cliente" }));
  act({
    title: "Emitir una llave", verb: "Emitir", done: "La llave quedó emitida.",
    controls: [
      field("Para qué es", nombre),
      h("fieldset", {}, h("legend", {}, "Ámbitos"), scopes.map((each) => h("p", { class: "opcion" }, each, h("label", { for: each.id }, each.value)))),
      field("Caduca", caduca, "Al empezar ese día en la Ciudad de México; sin fecha, no caduca."),
    ],
    doing: async () => {
      const ambitos = scopes.filter((each) => each.checked).map((each) => each.value);
      const ends = caduca.value ? `${caduca.value}T00:00:00-06:00` : null;
      const { data } = await session.client.post("/webhooks/api-keys", { id_empresa: id, nombre: nombre.value.trim(), ambitos, caduca_en: ends });
      load();
      return () => reveal(["Llave ", foreign(data.nombre)], [["Llave", data.api_key], ["Secreto de los eventos", data.secreto_webhook]]);
    },
  });
}

// rotate gives another key like it; the old one goes on working for a week, so that nothing is
// refused meanwhile.
function rotate(session, key, load) {
  act({
    title: "Rotar la llave", verb: "Rotar", done: "Hay una llave nueva.",
    text: ["Se emite otra igual a ", foreign(key.nombre), ". La anterior sirve siete días más, o menos si caduca antes."],
    doing: async () => {
      const { data } = await session.client.post(`/operador/api-keys/${encodeURIComponent(key.key_id)}/rotar`, {});
      load();
      return () => reveal(["Llave ", foreign(data.nueva.nombre)], [["Llave", data.nueva.api_key], ["Secreto de los eventos", data.nueva.secreto_webhook]]);
    },
  });
}

function revoke(session, key, load) {
  act({
    title: "Revocar la llave", verb: "Revocar", grave: true, done: "La llave quedó revocada.",
    text: ["En un segundo ninguna réplica acepta la llave ", foreign(key.nombre), "."],
    doing: async () => {
      await session.client.post(`/webhooks/api-keys/${encodeURIComponent(key.key_id)}/revocar`);
      load();
    },
  });
}
