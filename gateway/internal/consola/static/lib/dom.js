// Builds the page. There is no way here from a text to markup: texts become text nodes, and the
// page's content policy takes innerHTML and its like away.

// h makes an element. A property that is a function listens, one that begins with "aria" or has
// a dash is an attribute, as are all others; null, undefined and false leave it out.
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

const SVG = "http://www.w3.org/2000/svg";

// svg makes an element of a drawing.
export function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// What changes the direction of a text, hides in it, or breaks its line.
const hidden = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

// visible writes such characters out, so that a text cannot pass for another.
export function visible(text) {
  return String(text).replace(hidden, (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

// foreign shows a text that came from an institution or the platform: isolated, so that it does
// not change the order of what stands around it. A text that is not given is a dash.
export function foreign(text) {
  if (text === null || text === undefined || text === "") return h("span", { class: "nada" }, "—");
  return h("bdi", {}, visible(text));
}

export function replace(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

let ids = 0;

// uid is an id for a label and its control.
export function uid(prefix) {
  ids += 1;
  return `${prefix}-${ids}`;
}

// field is a control under its label, with a hint if there is one.
export function field(label, control, hint) {
  control.id ||= uid("campo");
  const hintId = hint ? `${control.id}-ayuda` : null;
  if (hintId) control.setAttribute("aria-describedby", hintId);
  return h("div", { class: "campo" }, h("label", { for: control.id }, label), control, hint ? h("p", { id: hintId, class: "ayuda" }, hint) : null);
}

// select is a choice of [value, text] pairs.
export function select(options, chosen, change) {
  const element = h("select", { change: () => change?.(element.value) }, options.map(([value, text]) => h("option", { value, selected: value === chosen }, visible(text))));
  return element;
}

export function button(text, click, properties = {}) {
  return h("button", { type: "button", click, ...properties }, text);
}

// pause lets the page draw and answer.
export function pause() {
  return new Promise((resolve) => setTimeout(resolve));
}
