// "Did we tell the platform of this person, and when?": over all institutions.
import { field, foreign, h, replace } from "../lib/dom.js";
import { badged, coded } from "../lib/parts.js";
import { problemCard } from "../lib/problem.js";
import { count } from "../lib/time.js";
import { announce } from "../shell.js";
import { expediente } from "./reportes.js";

export function persona(session) {
  const curp = h("input", { required: true, minlength: 18, maxlength: 18, autocapitalize: "characters", autocomplete: "off", spellcheck: "false", class: "clave" });
  const submit = h("button", { type: "submit", class: "principal" }, "Buscar");
  const [told, body] = [h("div", {}), h("div", { class: "vista" })];
  const form = h("form", { class: "barra", submit: async (event) => {
    event.preventDefault();
    submit.disabled = true;
    replace(told);
    try {
      const { data } = await session.client.post("/operador/personas/buscar", { curp: curp.value.trim().toUpperCase() });
      replace(body, answer(data));
      announce(data.notificada ? "Sí se avisó." : "No se ha avisado.");
    } catch (fault) {
      replace(told, problemCard(fault));
    } finally {
      submit.disabled = false;
    }
  } }, field("CURP", curp), submit);
  return { element: h("div", { class: "vista" }, h("h1", {}, "Buscar a una persona"),
    h("p", { class: "tenue" }, "¿Se avisó a la plataforma de esta persona, y cuándo? Se busca por la huella de su CURP, también cuando sus datos ya no están. ",
      "Queda en la Bitácora quién preguntó."), form, told, body) };
}

function answer({ notificada: told, curp_huella: hash, expedientes }) {
  const verdict = told ? badged("bien", "Sí se avisó") : badged("fin", "No se ha avisado");
  const file = (each) => h("details", { class: "tarjeta", open: expedientes.length === 1 },
    h("summary", {}, foreign(each.id_empresa), " · ", coded(each.reporte_id)), h("div", { class: "vista" }, expediente(each)));
  return [
    h("p", { class: "tarjeta" }, verdict, ` ${count(expedientes.length, "reporte", "reportes")}. Huella `, h("code", {}, foreign(hash))),
    expedientes.map(file),
  ];
}
