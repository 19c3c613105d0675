// Texts that would be markup, or that pass for others, in every field that is shown.
import assert from "node:assert/strict";

const EVIL = ['<script>globalThis.robado=1</script>', "javascript:globalThis.robado=1", "\u202egnp.exe\u202c", "<img src=x onerror=globalThis.robado=1>", "=cmd|'/C calc'!A0", "\u0000\u200b&amp;\"'`"];

// evil is a value for a field: a number stays one.
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
      await visit.close();
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

let nth = 0;

// soured is a value with every text in it, however deep, made one that nobody may obey. Names of
// fields, and what decides which parts of the page are there at all, stay.
function soured(value, name = "") {
  if (typeof value === "string") return KEPT.test(name) ? value : EVIL[nth++ % EVIL.length] + nth;
  if (Array.isArray(value)) return value.map((each) => soured(each, name));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, soured(each, key)]));
}

// Without them the page would show less: the institution's own path, states with acts, fields, times.
const KEPT = /^(id_empresa|reporte_id|estado|campo|.*_en)$/;

// hostileToOperators lets the routes of the built system answer, and sours what they say. What they
// leave null is a text here too.
export async function hostileToOperators(visit, { operador }) {
  const { page } = visit;
  await page.route(/\/(operador|webhooks)\//, async (route) => {
    const answer = await route.fetch();
    if (!answer.ok()) return route.fulfill({ response: answer });
    const full = JSON.stringify(await answer.json(), (key, value) => (value === null && !KEPT.test(key) && !/^(caso|sitio|actividad|ciclo|status|duracion_ms|mediana_ms)$/.test(key) ? "nulo" : value));
    return route.fulfill({ response: answer, body: JSON.stringify(soured(JSON.parse(full))) });
  });
  await page.route("**/operador/resumen", (route) => answers(route, { en_orden: false, registros_caido: false, pendientes: EVIL.map((each, n) => ({ tipo: each, id_empresa: EVIL[(n + 1) % 6], total: n, fecha: EVIL[(n + 2) % 6], recurso: EVIL[(n + 3) % 6], mensaje: EVIL[(n + 4) % 6] })) }));
  await visit.operate(operador);
  await page.locator(".tarea").first().waitFor();
  await wellBehaved(visit, "pendientes");
  await visit.open("Instituciones");
  const institutions = page.getByRole("table", { name: "Instituciones" });
  await institutions.getByRole("button").nth(8).click();
  await page.locator(".historia, .grafica").first().waitFor();
  await wellBehaved(visit, "institucion");
  await page.getByRole("region", { name: "Reportes de la institución" }).getByRole("button").first().click();
  await page.locator(".historia").waitFor();
  await wellBehaved(visit, "reporte");
  await page.getByRole("link", { name: "La institución" }).click();
  await page.getByRole("button", { name: "Ver lo que guarda de una persona" }).click();
  await page.getByLabel("CURP o folio").fill("RAXL991231MNLMXS05");
  await page.getByRole("button", { name: "Buscar" }).click();
  await page.getByRole("table", { name: "Registros de una persona" }).locator(".abrir").first().click();
  await page.getByRole("dialog").waitFor();
  await wellBehaved(visit, "registros");
  await visit.close();
  for (const [section, table] of [["Bitácora", "Bitácora"], ["Operadores", "Operadores"]]) {
    await visit.open(section);
    await page.getByRole("table", { name: table }).locator(".abrir").first().click();
    await page.getByRole("dialog").waitFor();
    await wellBehaved(visit, section.toLowerCase());
    await visit.close();
  }
  await page.getByRole("navigation", { name: "Secciones" }).getByRole("link", { name: "Persona" }).click();
  await page.getByLabel("CURP").fill("RAXL991231MNLMXS05");
  await page.getByRole("button", { name: "Buscar" }).click();
  await page.locator(".historia").first().waitFor();
  await wellBehaved(visit, "persona");
}

async function wellBehaved(visit, what) {
  assert.match(await visit.page.locator("main").innerText(), /<script>|javascript:|<img|=cmd|⟨U\+/, `${what}: a hostile text is shown`);
  await visit.see(what);
  await obeysNothing(visit.page);
}
