// The own account of whoever is in.
import { button, foreign, h } from "../lib/dom.js";
import { drawn, Followed, followedView } from "../lib/followed.js";
import { number } from "../lib/time.js";

export function cuenta(session, page) {
  const source = new Followed(session.client, "/operador/sesion");
  const element = h("div", { class: "vista" }, h("h1", {}, "Mi cuenta"), drawn([source], (data) => [
    h("div", { class: "tarjeta" },
      h("p", {}, h("span", { class: `insignia ${data.segundo_factor ? "bien" : "espera"}` }, data.segundo_factor ? "Con segundo factor" : "Sin segundo factor"), " Entró como ", h("strong", {}, foreign(data.usuario)), "."),
      h("dl", { class: "datos" }, h("div", {}, h("dt", {}, "Códigos de recuperación que quedan"), h("dd", {}, number(data.codigos_recuperacion))))),
    h("p", { class: "tenue" }, "Un segundo factor nuevo trae diez códigos de recuperación nuevos; el anterior sirve hasta que se confirma el nuevo."),
    h("div", { class: "acciones" }, button(data.segundo_factor ? "Cambiar el segundo factor" : "Inscribir un segundo factor", () => page.go("/segundo-factor"))),
  ]));
  return followedView(element, [source]);
}
