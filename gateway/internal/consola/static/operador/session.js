// What an operator sees: everything comes from /operador and /webhooks, with the token in memory.
import { Followed, follow } from "../lib/followed.js";
import { lista } from "../lib/lista.js";
import { empresa } from "./empresa.js";
import { EMPRESAS } from "./empresas.js";

// operadorSession follows what is shown of all institutions.
export function operadorSession(client, usuario) {
  const empresas = new Followed(client, "/operador/empresas");
  const lists = [empresas];
  const stop = follow(lists);
  return {
    name: usuario,
    detail: "operador",
    client, empresas, lists,
    end: stop,
    sections: [
      { path: "/instituciones", title: "Instituciones", view: lista(EMPRESAS) },
      { path: "/institucion", title: "Institución", view: empresa, inner: true, under: "/instituciones" },
    ],
  };
}
