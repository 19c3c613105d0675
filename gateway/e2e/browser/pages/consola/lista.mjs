// A list of very many rows.
import assert from "node:assert/strict";

const answers = (route, body, headers = {}) => route.fulfill({ status: 200, contentType: "application/json", headers, body: JSON.stringify(body) });

const [FEW, MANY] = [2000, 100_000];
const ESTADOS = ["notificada", "pendiente", "rechazada", "cancelada"];

// many scrolls, searches and sorts 100,000 rows: it may not cost more to draw them than few, by
// whatever measure this machine has now.
export async function many(visit, { first }) {
  const { page } = visit;
  const rows = Array.from({ length: MANY }, (_, n) => ({
    id: `id-${n}`, caso_id: `caso-${n % 1000}`, reporte_id: `reporte-${n % 1000}`, curp: "PEXA900115HDFRXN06", folio: `F-${(n * 7919) % MANY}`, fase_busqueda: String(1 + (n % 3)),
    tipo_evento: "Toma de muestra", fecha_evento: "2026-01-01", estado: ESTADOS[n % 4], detectada_en: "2026-01-01T00:00:00.000Z", notificada_en: null, detalle: null,
  }));
  let asked = 0;
  await page.route("**/cliente/coincidencias", (route) => {
    asked += 1;
    if (route.request().headers()["if-none-match"] === 'W/"1"') return route.fulfill({ status: 304 });
    return answers(route, rows, { ETag: 'W/"1"' });
  });
  const few = rows.slice(0, FEW).map((row) => ({ ...row, finalizacion: "notificada", coincidencias: 1, abierto_en: row.detectada_en }));
  await page.route("**/cliente/casos", (route) => answers(route, few));
  await visit.enter(first);
  await visit.open("Casos");
  await page.getByText("2,000 casos").waitFor();
  const ofFew = await page.evaluate(scrollThrough);
  await visit.open("Coincidencias");
  await page.getByText("100,000 coincidencias").waitFor();
  const scrolled = await page.evaluate(scrollThrough);
  assert.ok(scrolled.drawn < 100, `${scrolled.drawn} rows are in the page`);
  assert.ok(scrolled.median < 2.5 * ofFew.median, `drawing a screen takes ${scrolled.median} ms, of few rows ${ofFew.median} ms`);
  await visit.see("cien-mil");

  await page.getByLabel("Buscar").fill("f-99999");
  await page.locator(".cuenta", { hasText: "1 de 100,000 coincidencias" }).waitFor();
  await page.getByLabel("Buscar").fill("");
  await page.getByRole("button", { name: /^Folio/ }).click();
  await page.locator(".abrir", { hasText: /^F-0$/ }).waitFor();
  await page.getByRole("button", { name: "Actualizar" }).click();
  await page.waitForFunction((before) => performance.getEntriesByName(before).length > 1, `${visit.base}/cliente/coincidencias`);
  assert.ok(asked > 1, "the list is asked for again");
  assert.match(await page.locator(".cuenta").innerText(), /^100,000 coincidencias$/);
  return `100,000 rows: a screen is drawn in ${scrolled.median} ms, the longest in ${scrolled.longest} ms; of ${FEW} rows in ${ofFew.median} ms`;
}

// scrollThrough runs in the page: 50 screens on from the middle of the list, each drawn and laid
// out anew.
async function scrollThrough() {
  const frame = document.querySelector(".tabla-marco");
  const times = [];
  const middle = frame.scrollHeight / 2;
  for (let step = -25; step < 25; step++) {
    const begun = performance.now();
    frame.scrollTop = middle + step * (frame.clientHeight + 800);
    frame.dispatchEvent(new Event("scroll"));
    frame.getBoundingClientRect();
    times.push(performance.now() - begun);
    await new Promise(requestAnimationFrame);
  }
  times.sort((a, b) => a - b);
  return { median: Math.round(times[25] * 10) / 10, longest: Math.round(times.at(-1)), drawn: document.querySelectorAll(".tabla-cuerpo > *").length };
}
