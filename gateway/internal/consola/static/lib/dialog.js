import { button, h, uid } from "./dom.js";

// openDialog shows its content over the page; Escape closes it, and the focus goes back.
export function openDialog(title, ...content) {
  const id = uid("dialogo"); // one may be open over another
  const heading = h("h2", { id, tabindex: -1 }, title);
  const dialog = h("dialog", { class: "dialogo", "aria-labelledby": id, close: () => dialog.remove() },
    h("header", {}, heading, button("Cerrar", () => dialog.close(), { class: "discreto" })),
    h("div", { class: "dialogo-cuerpo" }, content));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  heading.focus();
  return dialog;
}
