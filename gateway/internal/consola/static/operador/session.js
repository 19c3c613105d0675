// What an operator sees: everything comes from /operador and /webhooks, with the token in memory.
import { Client } from "../lib/api.js";
import { Followed, follow } from "../lib/followed.js";
import { lista } from "../lib/lista.js";
import { general, ofEmpresa } from "./bitacora.js";
import { cuenta } from "./cuenta.js";
import { empresa } from "./empresa.js";
import { EMPRESAS } from "./empresas.js";
import { inscripcion } from "./inscripcion.js";
import { persona } from "./persona.js";
import { registros } from "./registros.js";
import { reporte } from "./reportes.js";
import { resumen } from "./resumen.js";
import { USUARIOS } from "./usuarios.js";

// loggedIn gives the session of a token: the operator's, or the one that only enrols.
export async function loggedIn(token, usuario) {
  const client = new Client({ Authorization: `Bearer ${token}` });
  const { data } = await client.get("/operador/sesion");
  const session = data.inscripcion_pendiente ? inscripcionSession() : operadorSession(client);
  // A token that takes this one's place begins another session.
  return { name: usuario, client, renew: (another) => loggedIn(another, usuario), ...session };
}

// operadorSession follows what is shown of all institutions.
function operadorSession(client) {
  const [needs, empresas, usuarios] = ["resumen", "empresas", "usuarios"].map((name) => new Followed(client, `/operador/${name}`));
  const lists = [needs, empresas, usuarios];
  const stop = follow(lists);
  return {
    detail: "operador",
    empresas, usuarios, lists,
    resumen: needs,
    end: stop,
    sections: [
      { path: "/resumen", title: "Pendientes", view: resumen },
      { path: "/instituciones", title: "Instituciones", view: lista(EMPRESAS) },
      { path: "/institucion", title: "Institución", view: empresa, inner: true, under: "/instituciones" },
      { path: "/institucion/bitacora", title: "Bitácora de la institución", view: ofEmpresa, inner: true, under: "/instituciones" },
      { path: "/institucion/registros", title: "Registros de una persona", view: registros, inner: true, under: "/instituciones" },
      { path: "/reporte", title: "Reporte", view: reporte, inner: true, under: "/instituciones" },
      { path: "/persona", title: "Persona", view: persona },
      { path: "/bitacora", title: "Bitácora", view: general },
      { path: "/operadores", title: "Operadores", view: lista(USUARIOS) },
      { path: "/cuenta", title: "Mi cuenta", view: cuenta },
      { path: "/segundo-factor", title: "Segundo factor", view: inscripcion, inner: true, under: "/cuenta" },
    ],
  };
}

// inscripcionSession can only enrol a second factor.
function inscripcionSession() {
  return { detail: "operador sin segundo factor", lists: [], end() {}, sections: [{ path: "/segundo-factor", title: "Segundo factor", view: inscripcion }] };
}
