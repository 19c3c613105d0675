// What an operator sees: everything comes from /operador and /webhooks, with the token in memory.
import { Followed, follow } from "../lib/followed.js";
import { lista } from "../lib/lista.js";
import { empresa } from "./empresa.js";
import { EMPRESAS } from "./empresas.js";
import { persona } from "./persona.js";
import { reporte } from "./reportes.js";
import { resumen } from "./resumen.js";

// operadorSession follows what is shown of all institutions.
export function operadorSession(client, usuario) {
  const empresas = new Followed(client, "/operador/empresas");
  const needs = new Followed(client, "/operador/resumen");
  const lists = [needs, empresas];
  const stop = follow(lists);
  return {
    name: usuario,
    detail: "operador",
    client, empresas, lists,
    resumen: needs,
    end: stop,
    sections: [
      { path: "/resumen", title: "Pendientes", view: resumen },
      { path: "/instituciones", title: "Instituciones", view: lista(EMPRESAS) },
      { path: "/institucion", title: "Institución", view: empresa, inner: true, under: "/instituciones" },
      { path: "/reporte", title: "Reporte", view: reporte, inner: true, under: "/instituciones" },
      { path: "/persona", title: "Persona", view: persona },
    ],
  };
}
