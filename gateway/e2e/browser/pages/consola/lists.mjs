// What the lists do with what nobody wants in them: texts that would be markup, very many rows,
// and a service that is away.
import assert from "node:assert/strict";

const EVIL = ['<script>globalThis.robado=1</script>', "javascript:globalThis.robado=1", "\u202egnp.exe\u202c", "<img src=x onerror=globalThis.robado=1>", "=cmd|'/C calc'!A0", "\u0000\u200b&amp;\"'`"];

// evil is a value for a field: what its name asks for stays what it is.
function evil(name, n) {
  if (name === "coincidencias") return n;
  return EVIL[n % EVIL.length] + n;
}

const FIELDS = {
  casos: ["id", "reporte_id", "curp", "nombre", "primer_apellido", "segundo_apellido", "fecha_nacimiento", "lugar_nacimiento", "sexo_asignado", "fecha_desaparicion", "estado", "finalizacion", "coincidencias", "abierto_en", "busqueda_finalizada_en", "cerrado_en", "actualizado_en"],
  coincidencias: ["id", "caso_id", "reporte_id", "curp", "folio", "fase_busqueda", "tipo_evento", "fecha_evento", "estado", "detectada_en", "notificada_en", "detalle"],
  reportes: ["id", "reporte_id", "tipo", "curp", "recibido_en"],
};

const answers = (route, body, headers = {}) => route.fulfill({ status: 200, contentType: "application/json", headers, body: JSON.stringify(body) });

// hostile has every field of every list say something that no page may obey.
export async function hostile(visit, { first }) {
  const { page } = visit;
  for (const [list, fields] of Object.entries(FIELDS)) {
    const rows = EVIL.map((_, at) => Object.fromEntries(fields.map((name, n) => [name, evil(name, at + n)])));
    await page.route(`**/cliente/${list}`, (route) => answers(route, rows));
  }
  await page.route("**/cliente/sandbox/ping", (route) => answers(route, { mensaje: "pong", id_empresa: EVIL[2], nombre: EVIL[0], ambiente: EVIL[1], fecha: EVIL[3] }));
  await visit.enter(first);
  await page.getByRole("heading", { level: 1, name: "Inicio" }).waitFor();
  await page.getByText("<script>globalThis.robado=1</script>").first().waitFor();
  await visit.see("inicio");
  for (const section of ["Casos", "Coincidencias", "Avisos"]) {
    await visit.open(section);
    for (let row = 0; row < EVIL.length; row++) {
      await page.locator(".abrir").nth(row).click();
      await page.getByRole("dialog").waitFor();
      if (row === 0) await visit.see(section.toLowerCase());
      await obeysNothing(page);
      await page.keyboard.press("Escape");
    }
    const { text } = await visit.download("Descargar CSV");
    assert.ok(text.includes(`"'=cmd|`) && !text.includes(`"=cmd|`), `${section}: a formula in the CSV`);
  }
  await problems(visit, first);
}

async function obeysNothing(page) {
  const found = await page.evaluate(() => ({
    stolen: globalThis.robado,
    made: document.querySelectorAll("body script, main img, main [onerror], a[href^='javascript']").length,
    bidi: /[\u202a-\u202e\u2066-\u2069]/.test(document.body.textContent),
  }));
  assert.deepEqual(found, { stolen: undefined, made: 0, bidi: false });
}

// problems has an error say the same.
async function problems(visit, key) {
  const { page } = visit;
  await page.getByRole("button", { name: "Salir" }).click();
  await page.unroute("**/cliente/sandbox/ping");
  const problem = { type: "javascript:globalThis.robado=1", title: EVIL[0], status: 200, detail: EVIL[2], codigo: "javascript:1", request_id: EVIL[3], errores: [{ puntero: EVIL[1], mensaje: EVIL[0] }] };
  visit.expected.push("422");
  await page.route("**/cliente/sandbox/ping", (route) => route.fulfill({ status: 422, contentType: "application/problem+json", body: JSON.stringify(problem) }));
  await visit.enter(key);
  await page.getByRole("alert").waitFor();
  await visit.see("problema");
  await obeysNothing(page);
}

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

// outage keeps what is on the screen while the service is away, says since when, and goes on.
export async function outage(visit, { first }) {
  const { page } = visit;
  await visit.enter(first);
  await visit.open("Coincidencias");
  await page.locator(".abrir").first().waitFor();
  const away = { title: "El servicio no está disponible", status: 503, detail: "Una parte del servicio no responde.", codigo: "no_disponible", request_id: "01JNODISPONIBLE", errores: [] };
  await page.route("**/cliente/**", (route) => route.fulfill({ status: 503, contentType: "application/problem+json", headers: { "Retry-After": "1" }, body: JSON.stringify(away) }));
  await page.getByRole("button", { name: "Actualizar" }).click();
  const banner = page.getByRole("alert");
  await banner.waitFor();
  const said = await banner.innerText();
  assert.match(said, /Una parte del servicio no responde\./);
  assert.match(said, /01JNODISPONIBLE/);
  assert.match(said, /Desde las \d\d:\d\d:\d\d\. Lo que ve es de las \d\d:\d\d:\d\d\./);
  assert.ok(await page.locator(".abrir").count() > 0, "the rows stay");
  await visit.see("caida");
  await page.unroute("**/cliente/**");
  await page.getByRole("button", { name: "Actualizar" }).click();
  await banner.waitFor({ state: "detached" });
}
