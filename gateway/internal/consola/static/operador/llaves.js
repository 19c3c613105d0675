// The keys of an institution: issued, shown once, rotated and revoked.
import { act } from "../lib/act.js";
import { button, field, foreign, h, visible } from "../lib/dom.js";
import { drawn, Followed } from "../lib/followed.js";
import { reveal } from "../lib/reveal.js";
import { badge } from "../lib/states.js";
import { instant } from "../lib/time.js";

// llaves gives the section and what it follows.
export function llaves(session, id) {
  const source = new Followed(session.client, `/webhooks/api-keys/${encodeURIComponent(id)}`);
  const load = () => source.refresh();
  const table = drawn([source], (keys) => (keys.length === 0 ? h("p", { class: "vacio" }, "Ninguna todavía.")
    : h("div", { class: "desliza", role: "region", "aria-label": "Llaves de la institución", tabindex: 0 }, keysTable(keys, (key) => rotate(session, key, load), (key) => revoke(session, key, load)))));
  return { element: h("section", {}, h("h2", {}, "Llaves"), table, h("div", { class: "acciones" }, button("Emitir una llave", () => issue(session, id, load)))), sources: [source] };
}

function keysTable(keys, rotate, revoke) {
  const row = (key) => h("tr", {}, h("th", { scope: "row" }, foreign(key.nombre)), h("td", { class: "clave" }, foreign(`${key.prefijo}…`)), h("td", {}, foreign(key.ambitos.join(", "))),
    h("td", {}, badge(key.estado)), h("td", {}, instant(key.ultimo_uso_en)), h("td", {}, instant(key.caduca_en)),
    h("td", {}, key.estado === "activa" ? h("div", { class: "acciones" }, button("Rotar", () => rotate(key), { "aria-label": `Rotar la llave ${visible(key.nombre)}` }), button("Revocar", () => revoke(key), { "aria-label": `Revocar la llave ${visible(key.nombre)}` })) : null));
  return h("table", { class: "llana" }, h("thead", {}, h("tr", {}, ["Para qué", "Empieza con", "Ámbitos", "Estado", "Último uso", "Caduca"].map((each) => h("th", { scope: "col" }, each)), h("td", {}))), h("tbody", {}, keys.map(row)));
}

function issue(session, id, load) {
  const nombre = h("input", { required: true, maxlength: 100 });
  const caduca = h("input", { type: "date" });
  const scopes = ["cliente", "eventos"].map((name) => h("input", { type: "checkbox", id: `ambito-${name}`, value: name, checked: name === "cliente" }));
  act({
    title: "Emitir una llave", verb: "Emitir", done: "La llave quedó emitida.",
    controls: [field("Para qué es", nombre), h("fieldset", {}, h("legend", {}, "Ámbitos"), scopes.map((each) => h("p", { class: "opcion" }, each, h("label", { for: each.id }, each.value)))),
      field("Caduca", caduca, "Al empezar ese día en la Ciudad de México; sin fecha, no caduca.")],
    doing: async () => {
      const body = { id_empresa: id, nombre: nombre.value.trim(), ambitos: scopes.filter((each) => each.checked).map((each) => each.value), caduca_en: caduca.value ? `${caduca.value}T00:00:00-06:00` : null };
      const { data } = await session.client.post("/webhooks/api-keys", body);
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
    title: "Revocar la llave", verb: "Revocar", done: "La llave quedó revocada.",
    text: ["En un segundo ninguna réplica acepta la llave ", foreign(key.nombre), "."],
    doing: async () => {
      await session.client.post(`/webhooks/api-keys/${encodeURIComponent(key.key_id)}/revocar`);
      load();
    },
  });
}
