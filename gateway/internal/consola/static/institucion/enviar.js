// Sending records, step by step: the file, its columns, what is wrong with it, and off it goes.
import { button, foreign, h, replace, visible } from "../lib/dom.js";
import { count } from "../lib/time.js";
import { announce } from "../shell.js";
import { columnas } from "./columnas.js";
import { corrida } from "./corrida.js";
import { Envio } from "./envio.js";
import { faltas } from "./faltas.js";

const STEPS = [["archivo", "Archivo"], ["columnas", "Columnas"], ["validar", "Validar"], ["enviar", "Enviar"]];

export function enviar(session) {
  const [steps, body] = [h("ol", { class: "pasos" }), h("div", { class: "paso" })];
  const element = h("div", { class: "vista" }, h("div", { class: "titular" }, h("h1", {}, "Enviar registros")), steps, body);
  const views = { archivo: chooseFile, columnas, validar, enviar: sent };
  let shown = null;
  const draw = (moved) => {
    shown?.stop?.();
    const step = session.envio?.step ?? "archivo";
    replace(steps, STEPS.map(([key, title]) => h("li", { "aria-current": key === step ? "step" : null }, title)));
    shown = views[step](session.envio, { start, restart });
    replace(body, shown.element);
    const heading = body.querySelector("h2");
    heading?.setAttribute("tabindex", "-1");
    if (moved) heading?.focus({ preventScroll: true });
  };
  const onStep = () => draw(true);

  async function start(file) {
    const envio = new Envio(session.client);
    await envio.open(file);
    session.envio = envio;
    envio.addEventListener("step", onStep);
    draw(true);
  }

  function restart() {
    session.envio?.stop();
    session.envio = null;
    draw(true);
  }

  session.envio?.addEventListener("step", onStep);
  draw(false);
  return { element, stop: () => {
    shown?.stop?.();
    session.envio?.removeEventListener("step", onStep);
  } };
}

function chooseFile(_, { start }) {
  const told = h("div", { role: "alert" });
  const busy = h("p", { class: "tenue", role: "status" });
  const take = async (file) => {
    if (!file) return;
    replace(told);
    busy.textContent = `Leyendo ${visible(file.name)}…`;
    try {
      await start(file);
    } catch (fault) {
      replace(told, fileFault(fault, file));
    } finally {
      busy.textContent = "";
      input.value = "";
    }
  };
  const input = h("input", { type: "file", id: "archivo", accept: ".csv,.txt,.tsv,.xlsx", class: "oculto", change: () => take(input.files[0]) });
  const drop = h("div", { class: "soltar",
    dragover: (event) => event.preventDefault(),
    drop: (event) => {
      event.preventDefault();
      take(event.dataTransfer.files[0]);
    } },
    input, h("label", { for: "archivo", class: "boton principal" }, "Elegir un archivo"), h("p", { class: "tenue" }, "o suéltelo aquí: CSV o XLSX"));
  return { element: h("div", {}, h("h2", {}, "Elija el archivo"), drop, told, busy, advice()) };
}

function fileFault(fault, file) {
  return h("div", { class: "problema" }, h("p", {}, h("strong", {}, foreign(file.name))), h("p", {}, foreign(fault.message)));
}

function advice() {
  return h("div", { class: "consejo" },
    h("p", {}, "La primera fila nombra las columnas. Cada fila es un acto administrativo con un folio que no se repite en el archivo, una CURP, un tipo de evento y una fecha."),
    h("p", {}, h("strong", {}, "Ninguna columna con estudios, resultados o diagnósticos se envía"), ": solo salen de este equipo las columnas que usted asigne en el paso siguiente."));
}

// validar shows how the validation goes, and what it found.
function validar(envio, { restart }) {
  const next = h("div", { class: "acciones" });
  const run = corrida(envio.validating, {
    verb: "Validar", doing: "Validando", done: "Se revisó todo el archivo",
    counts: [["validos", "Filas que entran"], ["invalidos", "Filas con error", envio.own.length]],
  });
  const found = faltas(envio);
  const draw = () => {
    const over = envio.validating.state === "done";
    const good = over ? envio.good.length : 0;
    replace(next, over ? button(`Enviar ${count(good, "registro", "registros")}`, () => envio.send(), { class: "principal", disabled: good === 0 }) : null,
      button("Corregir las columnas", () => envio.back()), button("Elegir otro archivo", restart));
    if (over) announce("La validación terminó.");
  };
  envio.validating.addEventListener("change", draw);
  draw();
  return {
    element: h("div", {}, h("h2", {}, "Validar"), h("p", { class: "tenue" }, foreign(envio.file.name), ": no se guarda nada todavía."), run.element, next, found.element),
    stop: () => {
      envio.validating.removeEventListener("change", draw);
      run.stop();
      found.stop();
    },
  };
}

const OUTCOMES = [
  ["creados", "Creados"], ["actualizados", "Actualizados"], ["sin_cambios", "Sin cambios"], ["rechazados", "Rechazados"], ["coincidencias", "Coincidencias halladas"],
];

function sent(envio, { restart }) {
  const { sending } = envio;
  const run = corrida(sending, { verb: "Enviar", doing: "Enviando", done: "Se envió todo el archivo", counts: OUTCOMES });
  const found = faltas(envio);
  const left = envio.tabla.rows.length - sending.total;
  return {
    element: h("div", {}, h("h2", {}, "Enviar"),
      h("p", { class: "tenue" }, foreign(envio.file.name), left > 0 ? `: ${count(left, "fila con error no se envía", "filas con error no se envían")}.` : ".",
        " Enviar otra vez lo mismo no daña: cuenta como sin cambios."),
      run.element, h("div", { class: "acciones" }, button("Enviar otro archivo", restart)), found.element),
    stop: () => {
      run.stop();
      found.stop();
    },
  };
}
