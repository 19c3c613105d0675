// What an institution sees once its key was found good.
import { Followed, follow } from "../lib/followed.js";
import { lista } from "../lib/lista.js";
import { enviar } from "./enviar.js";
import { inicio } from "./inicio.js";
import { AVISOS, CASOS, COINCIDENCIAS } from "./listas.js";

// institucionSession follows the three lists, and whether the initial load is finished, from now on. ping is what the service said of the
// key, and end forgets it.
export function institucionSession(client, ping, forget) {
  const casos = new Followed(client, "/cliente/casos");
  const coincidencias = new Followed(client, "/cliente/coincidencias");
  const avisos = new Followed(client, "/cliente/reportes");
  const carga = new Followed(client, "/institucion/carga-terminada");
  const lists = [casos, coincidencias, avisos, carga];
  const stop = follow(lists);
  const session = {
    name: ping.nombre,
    detail: `${ping.id_empresa} · ${ping.ambiente}`,
    client, ping, casos, coincidencias, avisos, carga, lists,
    envio: null, // the file being sent, wherever one looks meanwhile
    end() {
      stop();
      session.envio?.stop();
      forget();
    },
    sections: [
      { path: "/inicio", title: "Inicio", view: inicio },
      { path: "/enviar", title: "Enviar registros", view: enviar },
      { path: "/casos", title: "Casos", view: lista(CASOS) },
      { path: "/coincidencias", title: "Coincidencias", view: lista(COINCIDENCIAS) },
      { path: "/avisos", title: "Avisos", view: lista(AVISOS) },
    ],
  };
  return session;
}
