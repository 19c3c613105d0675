// Doing something that changes something: asked first, told after.
import { announce } from "../shell.js";
import { button, h, replace } from "./dom.js";
import { openDialog } from "./dialog.js";
import { problemCard } from "./problem.js";

// act asks with a text and controls, if any, does it, and closes. doing() may throw a Fault, which
// is shown where it was asked. What is grave cannot be undone.
export function act({ title, text, controls = [], verb, grave, done, doing }) {
  const told = h("div", {});
  const submit = h("button", { type: "submit", class: grave ? "grave" : "principal" }, verb);
  const form = h("form", { class: "formulario", submit: async (event) => {
    event.preventDefault();
    submit.disabled = true;
    replace(told);
    try {
      const after = await doing();
      dialog.close();
      announce(done);
      after?.();
    } catch (fault) {
      replace(told, problemCard(fault));
    } finally {
      submit.disabled = false;
    }
  } }, text ? h("p", {}, text) : null, controls, told, h("div", { class: "acciones" }, submit, button("Cancelar", () => dialog.close())));
  const dialog = openDialog(title, form);
}
