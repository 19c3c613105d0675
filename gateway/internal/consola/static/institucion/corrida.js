// How a file goes: a bar that can be paused, what it waits for, and its counts.
import { button, h, replace } from "../lib/dom.js";
import { problemCard } from "../lib/problem.js";
import { clockTime, number } from "../lib/time.js";

// corrida shows a Sending. words: verb, doing, done, and counts as [name, label, more] where more
// of them were counted elsewhere.
export function corrida(sending, words) {
  const bar = h("progress", { max: Math.max(sending.total, 1), "aria-label": words.doing });
  const [told, fault, counts, control] = [h("p", {}), h("div", {}), h("dl", { class: "conteos" }), h("div", { class: "acciones" })];
  const spoken = h("p", { class: "oculto", role: "status" });
  let [lastState, lastFault] = [null, null];
  const draw = () => {
    const { state, done, total } = sending;
    bar.value = total === 0 ? 1 : done;
    told.textContent = progressText(sending, words);
    replace(counts, words.counts.map(([name, label, more = 0]) => h("div", {}, h("dt", {}, label), h("dd", {}, number((sending.counts[name] ?? 0) + more)))));
    if (state !== lastState) replace(control, controls(sending));
    // Told once, and not at every batch.
    if (state !== lastState) spoken.textContent = told.textContent;
    if (sending.fault !== lastFault) replace(fault, sending.fault ? problemCard(sending.fault) : null);
    [lastState, lastFault] = [state, sending.fault];
  };
  sending.addEventListener("change", draw);
  draw();
  return {
    element: h("section", { class: "tarjeta corrida", "aria-label": words.verb }, bar, told, spoken, counts, fault, control),
    stop: () => sending.removeEventListener("change", draw),
  };
}

function progressText({ state, done, total, since, retryAt }, words) {
  const share = total === 0 ? 100 : Math.floor((done / total) * 100);
  const far = `${number(done)} de ${number(total)} (${share} %)`;
  switch (state) {
    case "done": return `${words.done}.`;
    case "paused": return `En pausa: ${far}.`;
    case "stopped": return `Se detuvo: ${far}. Lo anterior ya está; al continuar sigue desde ahí.`;
    case "waiting": return `Sin respuesta desde las ${clockTime(since)}: ${far}. Se repite a las ${clockTime(retryAt)} y sigue donde se quedó.`;
    default: return `${words.doing}: ${far}.`;
  }
}

function controls(sending) {
  switch (sending.state) {
    case "running": return button("Pausar", () => sending.pause());
    case "waiting": return [button("Reintentar ahora", () => sending.retry()), button("Pausar", () => sending.pause())];
    case "paused": case "stopped": return button("Continuar", () => sending.run(), { class: "principal" });
    default: return null;
  }
}
