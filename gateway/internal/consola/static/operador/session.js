// What an operator sees: everything comes from /operador and /webhooks, with the token in memory.
import { Client } from "../lib/api.js";
import { openDialog } from "../lib/dialog.js";
import { button, field, h, replace } from "../lib/dom.js";
import { Followed, follow } from "../lib/followed.js";
import { lista } from "../lib/lista.js";
import { problemCard } from "../lib/problem.js";
import { general, ofEmpresa } from "./bitacora.js";
import { cuenta, restablecidas } from "./cuenta.js";
import { empresa } from "./empresa.js";
import { EMPRESAS } from "./empresas.js";
import { inscripcion } from "./inscripcion.js";
import { persona } from "./persona.js";
import { registros } from "./registros.js";
import { reporte } from "./reportes.js";
import { resumen } from "./resumen.js";
import { USUARIOS } from "./usuarios.js";

// loggedIn gives the session of a token: the operator's, or the one that only enrols. Who was told
// before what others reset is not told again.
export async function loggedIn(token, usuario, told = false) {
  let headers = bearer(token);
  const client = new Client(headers, async (fault) => {
    const before = new Client(headers);
    headers = bearer(await askAgain(usuario, fault));
    await before.delete("/operador/sesion").catch(() => {}); // it is forgotten here, and ends by itself
    return headers;
  });
  const { data } = await client.get("/operador/sesion");
  const session = data.inscripcion_pendiente ? inscripcionSession() : operadorSession(client);
  if (!told && data.restablecimientos.length > 0) tellResets(data.restablecimientos);
  // A token that takes this one's place begins another session.
  return { name: usuario, client, renew: (another) => loggedIn(another, usuario, true), close: () => client.delete("/operador/sesion"), ...session };
}

const bearer = (token) => ({ Authorization: `Bearer ${token}` });

// askAgain asks for clave and code, and gives the token that they are worth; the fault goes on if
// nobody answers.
function askAgain(usuario, fault) {
  return new Promise((resolve, reject) => {
    const told = h("div", {});
    const clave = h("input", { type: "password", autocomplete: "current-password", required: true });
    const codigo = h("input", { autocomplete: "one-time-code", spellcheck: "false" });
    const form = h("form", { class: "formulario", submit: async (event) => {
      event.preventDefault();
      replace(told);
      try {
        const { data } = await new Client({}).post("/login", { usuario, clave: clave.value, codigo: codigo.value.trim() });
        resolve(data.token);
        dialog.close();
      } catch (wrong) {
        replace(told, problemCard(wrong));
      }
    } }, h("p", {}, "Esto pide un inicio de sesión de hace cinco minutos o menos. Muestre otra vez su clave y su código, y se hará."),
    field("Clave", clave), field("Código", codigo, "Vacío si todavía no tiene segundo factor."), told,
    h("div", { class: "acciones" }, h("button", { type: "submit", class: "principal" }, "Continuar"), button("Cancelar", () => dialog.close())));
    const dialog = openDialog("Confirme que es usted", form);
    dialog.addEventListener("close", () => reject(fault));
  });
}

function tellResets(rows) {
  openDialog("Alguien cambió su cuenta", h("p", {}, "Otro operador restableció esto de su cuenta. Si usted no lo pidió, avise a los demás."), restablecidas(rows));
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
