// Who comes in: an institution with its key, or an operator with password and second factor.
import { button, field, h, replace } from "./lib/dom.js";
import { Client, Fault } from "./lib/api.js";
import { problemCard } from "./lib/problem.js";
import { institucionSession } from "./institucion/session.js";
import { loggedIn } from "./operador/session.js";

// The key is kept here if asked: for this tab, and gone with it.
const KEPT = "consola.llave";

// restored enters again with the key that the tab kept, or gives null.
export async function restored() {
  const key = sessionStorage.getItem(KEPT);
  if (!key) return null;
  try {
    return await enterWith(key);
  } catch (fault) {
    if (!(fault instanceof Fault) || !fault.passing) sessionStorage.removeItem(KEPT);
    return null;
  }
}

async function enterWith(key) {
  const client = new Client({ "X-API-Key": key });
  const { data } = await client.post("/cliente/sandbox/ping");
  return institucionSession(client, data, () => sessionStorage.removeItem(KEPT));
}

// logIn gives an operator's session; the token is nowhere but in its client.
async function logIn(credentials) {
  const { data } = await new Client({}).post("/login", credentials);
  return loggedIn(data.token, credentials.usuario);
}

// entrada is the view of whoever is not in yet; fault is why they are out again.
export function entrada(page, fault) {
  const told = h("div", {}, fault ? problemCard(fault) : null);
  const forms = { institucion: institucionForm(page, told), operador: operadorForm(page, told) };
  const choices = [["institucion", "Institución"], ["operador", "Operador"]].map(([name, label]) => button(label, () => choose(name), { "data-nombre": name }));
  const place = h("div", {});
  const choose = (name) => {
    for (const each of choices) each.setAttribute("aria-pressed", each.dataset.nombre === name);
    replace(place, forms[name]);
  };
  choose("institucion");
  return { element: h("div", { class: "entrada" }, h("h1", {}, "Entrar a la consola"), h("div", { class: "eleccion", role: "group", "aria-label": "Quién entra" }, choices), told, place) };
}

function institucionForm(page, told) {
  const key = h("input", { type: "password", autocomplete: "off", spellcheck: "false", autocapitalize: "none", required: true });
  const keep = h("input", { type: "checkbox", id: "conservar" });
  return formOf(page, told, [
    field("Llave de la API", key, "Empieza con iis_. Se la da el operador de Enlace; es una contraseña, y solo queda en la memoria de esta pestaña."),
    h("p", { class: "opcion" }, keep, h("label", { for: "conservar" }, "Conservarla hasta que se cierre esta pestaña")),
  ], async () => {
    const session = await enterWith(key.value.trim());
    if (keep.checked) sessionStorage.setItem(KEPT, key.value.trim());
    return session;
  });
}

function operadorForm(page, told) {
  const usuario = h("input", { autocomplete: "username", autocapitalize: "none", spellcheck: "false", required: true });
  const clave = h("input", { type: "password", autocomplete: "current-password", required: true });
  const codigo = h("input", { autocomplete: "one-time-code", spellcheck: "false" });
  return formOf(page, told, [
    field("Usuario", usuario), field("Clave", clave),
    field("Código", codigo, "Los seis dígitos de su aplicación, o un código de recuperación; vacío si todavía no tiene segundo factor."),
  ], () => logIn({ usuario: usuario.value.trim(), clave: clave.value, codigo: codigo.value.trim() }));
}

function formOf(page, told, fields, enter) {
  const submit = h("button", { type: "submit", class: "principal" }, "Entrar");
  return h("form", { class: "tarjeta", submit: async (event) => {
    event.preventDefault();
    submit.disabled = true;
    replace(told);
    try {
      page.enter(await enter());
    } catch (fault) {
      replace(told, problemCard(fault));
    } finally {
      submit.disabled = false;
    }
  } }, fields, submit);
}
