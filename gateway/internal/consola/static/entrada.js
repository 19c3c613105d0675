// Who comes in: an institution with its key.
import { field, h, replace } from "./lib/dom.js";
import { Client, Fault } from "./lib/api.js";
import { problemCard } from "./lib/problem.js";
import { institucionSession } from "./institucion/session.js";

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

// entrada is the view of whoever is not in yet; fault is why they are out again.
export function entrada(page, fault) {
  const key = h("input", { type: "password", autocomplete: "off", spellcheck: "false", autocapitalize: "none", required: true });
  const keep = h("input", { type: "checkbox", id: "conservar" });
  const told = h("div", {});
  const submit = h("button", { type: "submit", class: "principal" }, "Entrar");
  const form = h("form", { class: "tarjeta", submit: async (event) => {
    event.preventDefault();
    await attempt({ page, submit, told, key, keep });
  } },
    h("h2", {}, "Institución"),
    field("Llave de la API", key, "Empieza con iis_. Se la da el operador de Enlace; es una contraseña."),
    h("p", { class: "opcion" }, keep, h("label", { for: "conservar" }, "Conservarla hasta que se cierre esta pestaña")),
    told, submit);
  if (fault) replace(told, problemCard(fault));
  const element = h("div", { class: "entrada" }, h("h1", {}, "Entrar a la consola"),
    h("p", { class: "entradilla" }, "Registros, casos y coincidencias de su institución. La llave no se escribe en ninguna dirección ni queda en este equipo."), form);
  return { element };
}

async function attempt({ page, submit, told, key, keep }) {
  submit.disabled = true;
  replace(told);
  try {
    const session = await enterWith(key.value.trim());
    if (keep.checked) sessionStorage.setItem(KEPT, key.value.trim());
    key.value = "";
    page.enter(session);
  } catch (fault) {
    replace(told, problemCard(fault));
  } finally {
    submit.disabled = false;
  }
}
