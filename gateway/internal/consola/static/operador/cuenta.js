// The own account of whoever is in.
import { button, foreign, h } from "../lib/dom.js";
import { drawn, Followed, followedView } from "../lib/followed.js";
import { actions, badged, facts } from "../lib/parts.js";
import { number } from "../lib/time.js";

export function cuenta(session, page) {
  const source = new Followed(session.client, "/operador/sesion");
  const element = h("div", { class: "vista" }, h("h1", {}, "Mi cuenta"), drawn([source], (data) => [
    h("div", { class: "tarjeta" },
      h("p", {}, data.segundo_factor ? badged("bien", "Con segundo factor") : badged("espera", "Sin segundo factor"), " Entró como ", h("strong", {}, foreign(data.usuario)), "."),
      facts([["Códigos de recuperación que quedan", number(data.codigos_recuperacion)]])),
    h("p", { class: "tenue" }, "Un segundo factor nuevo trae diez códigos de recuperación nuevos; el anterior sirve hasta que se confirma el nuevo."),
    actions(button(data.segundo_factor ? "Cambiar el segundo factor" : "Inscribir un segundo factor", () => page.go("/segundo-factor"))),
  ]));
  return followedView(element, [source]);
}
