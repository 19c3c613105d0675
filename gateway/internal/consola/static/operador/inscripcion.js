// A second factor is enrolled: at the first login, which leads here alone, or in the own account.
import { button, field, h, replace } from "../lib/dom.js";
import { problemCard } from "../lib/problem.js";
import { reveal, secretList } from "../lib/reveal.js";

export function inscripcion(session, page) {
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
  return { element: h("div", { class: "vista" }, h("h1", {}, "Inscriba su segundo factor"),
    h("p", { class: "tenue" }, "Con una aplicación de códigos en su teléfono, su clave sola ya no basta para entrar como usted."), told, body) };
}

function secret(session, page, { secreto, otpauth_url: address }) {
  const code = h("input", { required: true, inputmode: "numeric", pattern: "[0-9]{6}", autocomplete: "one-time-code" });
  const told = h("div", {});
  const confirm = async (event) => {
    event.preventDefault();
    try {
      const { data } = await session.client.post("/operador/segundo-factor/confirmar", { codigo: code.value });
      page.enter(await session.renew(data.token), "/cuenta");
      showRecovery(data.codigos_recuperacion);
    } catch (fault) {
      replace(told, problemCard(fault));
    }
  };
  return h("form", { class: "tarjeta", submit: confirm },
    secretList([["Secreto, para escribirlo en la aplicación", secreto], ["La dirección que la aplicación lee", address]]),
    field("Código que muestra la aplicación", code, "Seis dígitos."), told, h("button", { type: "submit", class: "principal" }, "Confirmar"));
}

function showRecovery(codes) {
  reveal("Códigos de recuperación", codes.map((each, at) => [`Código ${at + 1}`, each]),
    "Guárdelos ahora: no se vuelven a mostrar. Cada uno sirve una vez en lugar de un código de la aplicación.");
}
