// What is shown once: secrets to copy, which nobody can ask for again.
import { foreign, h } from "./dom.js";
import { openDialog } from "./dialog.js";
import { copyButton } from "./problem.js";

const FEW = 3; // that are copied one by one

// reveal shows secrets as [label, value] pairs until the dialog is closed.
export function reveal(title, secrets, note = "Cópielo ahora: no se vuelve a mostrar.") {
  const given = secrets.filter(([, value]) => value);
  openDialog(title, h("p", { class: "falta" }, note),
    given.length > FEW && h("p", {}, copyButton(given.map(([, value]) => value).join("\n"), "Copiar todos, uno por línea", "Copiar todos")), secretList(given));
}

// secretList shows secrets as [label, value] pairs, each to copy.
export function secretList(secrets) {
  return h("dl", { class: "secretos" }, secrets.map(([label, value]) => h("div", {},
    h("dt", {}, label), h("dd", {}, h("code", {}, foreign(value)), copyButton(value, `Copiar: ${label}`)))));
}
