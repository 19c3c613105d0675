// The own account of whoever is in.
import { button, foreign, h } from "../lib/dom.js";
import { drawn, Followed, followedView } from "../lib/followed.js";
import { actions, badged, facts, plainTable, section } from "../lib/parts.js";
import { instant, number } from "../lib/time.js";

const DONE = { clave: "Clave nueva", segundo_factor: "Segundo factor quitado" };

// restablecidas are the accounts that one operator reset of another within a week.
export function restablecidas(rows) {
  return plainTable("Cuentas restablecidas", ["Cuándo", "De quién", "Qué", "Quién lo hizo"],
    rows.map((each) => [instant(each.ocurrido_en), foreign(each.usuario), DONE[each.que] ?? foreign(each.que), foreign(each.por)]));
}

export function cuenta(session, page) {
  const source = new Followed(session.client, "/operador/sesion");
  const element = h("div", { class: "vista" }, h("h1", {}, "Mi cuenta"), drawn([source], (data) => [
    h("div", { class: "tarjeta" },
      h("p", {}, data.segundo_factor ? badged("bien", "Con segundo factor") : badged("espera", "Sin segundo factor"), " Entró como ", h("strong", {}, foreign(data.usuario)), "."),
      facts([["Códigos de recuperación que quedan", number(data.codigos_recuperacion)]])),
    h("p", { class: "tenue" }, "Un segundo factor nuevo trae diez códigos de recuperación nuevos; el anterior sirve hasta que se confirma el nuevo."),
    data.restablecimientos.length > 0 ? section("Lo que otros restablecieron de su cuenta esta semana", restablecidas(data.restablecimientos)) : null,
    actions(button(data.segundo_factor ? "Cambiar el segundo factor" : "Inscribir un segundo factor", () => page.go("/segundo-factor"))),
  ]));
  return followedView(element, [source]);
}
