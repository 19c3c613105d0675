import { button } from "./dom.js";

// The look is the one thing that this device remembers of the console.
const KEY = "consola.tema";
const NEXT = { auto: "light", light: "dark", dark: "auto" };
const NAMES = { auto: "auto", light: "claro", dark: "oscuro" };

function remembered() {
  try {
    const theme = localStorage.getItem(KEY);
    return theme in NEXT ? theme : "auto";
  } catch {
    return "auto"; // storage is closed to the page
  }
}

function apply(theme) {
  if (theme === "auto") delete document.documentElement.dataset.tema;
  else document.documentElement.dataset.tema = theme;
}

// themeSwitch goes from the system's look to light to dark and back.
export function themeSwitch() {
  let theme = remembered();
  apply(theme);
  const text = () => `Tema: ${NAMES[theme]}`;
  const element = button(text(), () => {
    theme = NEXT[theme];
    apply(theme);
    element.textContent = text();
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // not remembered, then
    }
  }, { class: "discreto" });
  return element;
}
