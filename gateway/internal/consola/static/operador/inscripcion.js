// The first login of an operator leads here alone: a second factor is enrolled, then all is open.
import { Client } from "../lib/api.js";
import { button, field, foreign, h, replace } from "../lib/dom.js";
import { copyButton, problemCard } from "../lib/problem.js";
import { reveal } from "../lib/reveal.js";
import { operadorSession } from "./session.js";

// loggedIn gives the session of a token: the operator's, or the one that only enrols.
export async function loggedIn(token, usuario) {
  const client = new Client({ Authorization: `Bearer ${token}` });
  const { data } = await client.get("/operador/sesion");
  if (!data.inscripcion_pendiente) return operadorSession(client, usuario);
  return { name: usuario, detail: "operador sin segundo factor", client, usuario, lists: [], end() {}, sections: [{ path: "/segundo-factor", title: "Segundo factor", view: inscripcion }] };
}

function inscripcion(session, page) {
  const [told, body] = [h("div", {}), h("div", {})];
  const begin = async () => {
    replace(told);
    try {
      const { data } = await session.client.post("/operador/segundo-factor/inscribir");
      replace(body, secret(session, page, data));
    } catch (fault) {
      replace(told, problemCard(fault, button("Reintentar", begin)));
    }
  };
  begin();
  return { element: h("div", { class: "vista" }, h("h1", {}, "Inscriba su segundo factor"), h("p", { class: "tenue" }, "Su clave sola no basta aquí. Con una aplicación de códigos en su teléfono entra desde ahora."), told, body) };
}

function secret(session, page, { secreto, otpauth_url: address }) {
  const code = h("input", { required: true, inputmode: "numeric", pattern: "[0-9]{6}", autocomplete: "one-time-code" });
  const told = h("div", {});
  return h("form", { class: "tarjeta", submit: async (event) => {
    event.preventDefault();
    try {
      const { data } = await session.client.post("/operador/segundo-factor/confirmar", { codigo: code.value });
      page.enter(await loggedIn(data.token, session.usuario));
      reveal("Códigos de recuperación", data.codigos_recuperacion.map((each, at) => [`Código ${at + 1}`, each]), "Guárdelos ahora: no se vuelven a mostrar. Cada uno sirve una vez en lugar de un código de la aplicación.");
    } catch (fault) {
      replace(told, problemCard(fault));
    }
  } },
    h("dl", { class: "secretos" }, [["Secreto, para escribirlo en la aplicación", secreto], ["La dirección que la aplicación lee", address]].map(([label, value]) => h("div", {}, h("dt", {}, label), h("dd", {}, h("code", {}, foreign(value)), copyButton(value, `Copiar: ${label}`))))),
    field("Código que muestra la aplicación", code, "Seis dígitos."), told, h("button", { type: "submit", class: "principal" }, "Confirmar"));
}
