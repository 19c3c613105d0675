// Shows a fault in the API's own words.
import { button, foreign, h } from "./dom.js";
import { count } from "./time.js";

const SHOWN = 20;

// problemCard is what the API said, with the id by which its operators find the request.
export function problemCard(fault, ...actions) {
  if (!fault.problem) throw fault; // a defect of the console itself belongs to its log
  const { title, detail, codigo, request_id: requestId, errores } = fault.problem;
  return h("section", { class: "problema", role: "alert" },
    h("h2", {}, foreign(title)),
    h("p", {}, foreign(detail)),
    errorList(errores),
    h("p", { class: "pie" },
      codigoLink(codigo),
      requestId ? h("span", {}, "Solicitud ", h("code", {}, foreign(requestId)), " ", copyButton(requestId, "Copiar el número de solicitud")) : null),
    actions.length > 0 ? h("div", { class: "acciones" }, actions) : null);
}

function errorList(errores) {
  if (!Array.isArray(errores) || errores.length === 0) return null;
  const more = errores.length - SHOWN;
  return h("ul", {},
    errores.slice(0, SHOWN).map((each) => h("li", {}, each?.puntero ? [h("code", {}, foreign(each.puntero)), " "] : null, foreign(each?.mensaje ?? each))),
    more > 0 ? h("li", {}, `y ${count(more, "más", "más")}`) : null);
}

// The address is made here of the code: what the answer says of it is never followed.
function codigoLink(codigo) {
  if (!/^[a-z_]{1,64}$/.test(codigo ?? "")) return null;
  return h("a", { href: `errores/${codigo}`, target: "_blank", rel: "noopener" }, `Qué significa ${codigo}`);
}

// copyButton copies a text; its label says which to whoever does not see where it stands.
export function copyButton(text, label, shown = "Copiar") {
  const told = button(shown, async () => {
    await navigator.clipboard.writeText(text);
    told.textContent = "Copiado";
  }, { class: "enlace", "aria-label": label });
  return told;
}
