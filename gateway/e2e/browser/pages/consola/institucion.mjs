// What an institution looks at.
import assert from "node:assert/strict";

const demo = /^(SABC|RAXL|PEXA)/;

// comeIn tries a wrong key, then the right one; it is in no address and in no storage that
// outlives the tab, and kept in the tab only if asked.
export async function comeIn(visit, { first }) {
  const { page } = visit;
  await visit.see("puerta");
  await visit.enter("iis_development_nada_nada");
  const problem = page.getByRole("alert");
  await problem.waitFor();
  assert.match(await problem.innerText(), /credencial_invalida/);
  assert.match(await problem.innerText(), /Solicitud [0-9A-Za-z-]{20,}/);
  await visit.see("llave-mala");

  await visit.enter(first);
  await page.getByRole("heading", { level: 1, name: "Inicio" }).waitFor();
  assert.deepEqual(await storage(page), { session: {}, local: {} });
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Entrar a la consola" }).waitFor();

  await visit.enter(first, { keep: true });
  await page.getByRole("heading", { level: 1, name: "Inicio" }).waitFor();
  assert.deepEqual(await storage(page), { session: { "consola.llave": first }, local: {} });
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Inicio" }).waitFor();
  assert.ok(!page.url().includes("iis_"));
  await page.getByRole("button", { name: "Salir" }).click();
  await page.getByRole("heading", { level: 1, name: "Entrar a la consola" }).waitFor();
  assert.deepEqual(await storage(page), { session: {}, local: {} });
}

function storage(page) {
  return page.evaluate(() => ({ session: { ...sessionStorage }, local: { ...localStorage } }));
}

// look goes through all that there is to see, with the keyboard where that matters.
export async function look(visit, { first }) {
  const { page } = visit;
  await visit.enter(first);
  await page.getByRole("heading", { level: 1, name: "Inicio" }).waitFor();
  await page.getByText("Entró como Laboratorio Demo 1").waitFor();
  await page.locator(".cifra .numero").nth(1).waitFor();
  await visit.see("inicio");

  for (const section of ["Casos", "Coincidencias", "Avisos"]) {
    await visit.open(section);
    await page.locator(".abrir").first().waitFor();
    await visit.see(section.toLowerCase());
  }
  await visit.open("Casos");
  await openWithKeyboard(visit);
  await exactTimes(page);
  await search(visit);
  await changeTheme(visit);
  return undefined;
}

// openWithKeyboard reaches a row by Tab and the arrows, opens it with Enter and leaves with Escape.
async function openWithKeyboard(visit) {
  const { page } = visit;
  await page.getByRole("region", { name: "Tabla: Casos" }).focus();
  for (let tries = 0; tries < 12 && !(await page.evaluate(() => document.activeElement.matches(".abrir"))); tries++) await page.keyboard.press("Tab");
  await page.keyboard.press("End");
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Reporte de la plataforma").waitFor();
  assert.match(await dialog.innerText(), /Monitoreo/);
  await visit.see("caso");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.ok(await page.evaluate(() => document.activeElement.matches(".abrir")), "the focus goes back to the row");

  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Ver sus coincidencias" }).click();
  await page.getByRole("heading", { level: 1, name: "Coincidencias" }).waitFor();
  assert.match(await page.locator(".cuenta").innerText(), /^\d+( de \d+)? coincidencias?$/);
  await visit.open("Casos");
}

// exactTimes shows Mexico City's clock first and the instant on demand.
async function exactTimes(page) {
  const time = page.locator("time").first();
  await page.locator("time").first().waitFor({ state: "attached" });
  const iso = await time.getAttribute("datetime");
  const expected = new Intl.DateTimeFormat("es-MX", { timeZone: "America/Mexico_City", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(iso));
  assert.ok((await time.textContent()).includes(expected), `${await time.textContent()} at ${expected}`);
  await page.getByRole("button", { name: "Hora de México" }).click();
  assert.equal(await time.textContent(), iso);
  await page.getByRole("button", { name: "Hora exacta" }).click();
}

async function search(visit) {
  const { page } = visit;
  await page.getByLabel("Buscar").fill("no hay tal persona");
  await page.getByText("Nada corresponde a lo que busca.").waitFor();
  await page.getByLabel("Buscar").fill("raxl");
  assert.match(await page.locator(".abrir").first().innerText(), demo);
  await page.getByLabel("Estado").selectOption("monitoreo");
  await page.locator(".abrir").first().waitFor();
  const { name, text } = await visit.download("Descargar CSV");
  assert.match(name, /^casos-\d{4}-\d\d-\d\d\.csv$/);
  assert.match(text, /^\ufeff"id","reporte_id","curp"/);
  assert.match(text, /"RAXL991231MNLMXS05"/);
}

async function changeTheme(visit) {
  const { page } = visit;
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const theme = page.getByRole("button", { name: "Tema:" });
  await theme.click();
  const light = await ground();
  await theme.click();
  assert.notEqual(await ground(), light);
  await theme.click();
}

// lookAsTheOther is the second institution, which nobody asked about anything.
export async function lookAsTheOther(visit, { second }) {
  const { page } = visit;
  await visit.enter(second);
  await page.getByText("Entró como Laboratorio Demo 2").waitFor();
  await page.getByText("Todavía no llega nada de la plataforma").waitFor();
  await visit.see("inicio");
  for (const [section, said] of [["Casos", "Ningún reporte ha llegado todavía"], ["Coincidencias", "Todavía no hay coincidencias"], ["Avisos", "La plataforma no ha enviado ningún aviso"]]) {
    await visit.open(section);
    await page.getByText(said).waitFor();
    await visit.see(section.toLowerCase());
  }
  await visit.open("Enviar registros");
  await visit.see("enviar");
}
