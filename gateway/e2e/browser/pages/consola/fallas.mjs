// What befalls a system: one of its programs is gone, and comes back.
import assert from "node:assert/strict";
import { choose, counted, manyRows, sent, validated } from "./envio.mjs";

const SINCE = /Desde las \d\d:\d\d:\d\d\./;

// away has registros gone: what is on the screen stays, and it is said since when, and of when it is.
export async function away(visit, { first, control }) {
  const { page } = visit;
  await visit.enter(first);
  await visit.open("Coincidencias");
  await page.locator(".abrir").first().waitFor();
  await control("matar", "registros");
  await page.getByRole("button", { name: "Actualizar" }).click();
  const banner = page.getByRole("alert");
  await banner.waitFor();
  const said = await banner.innerText();
  assert.match(said, /no_disponible/);
  assert.match(said, /Solicitud [0-9A-Za-z-]{20,}/);
  assert.match(said, SINCE);
  assert.match(said, /Lo que ve es de las \d\d:\d\d:\d\d\./);
  assert.ok(await page.locator(".abrir").count() > 0, "the rows stay");
  await visit.see("lejos");
  await control("iniciar", "registros");
  await page.getByRole("button", { name: "Actualizar" }).click();
  await banner.waitFor({ state: "detached" });
  await page.getByText("Al corriente").waitFor();
}

// operatorsAway is the same for an operator, who is told what is not known now.
export async function operatorsAway(visit, { operador, control }) {
  const { page } = visit;
  await visit.operate(operador);
  await visit.open("Instituciones");
  await page.getByRole("button", { name: "Laboratorio Demo 1" }).click();
  await page.getByRole("heading", { name: "Los últimos 30 días" }).waitFor();
  await control("matar", "registros");
  await page.evaluate(() => globalThis.dispatchEvent(new Event("online")));
  const banner = page.getByRole("alert");
  await banner.waitFor();
  assert.match(await banner.innerText(), SINCE);
  assert.ok(await page.getByRole("region", { name: "Reportes de la institución" }).getByRole("button").count() > 0, "the reports stay");
  await visit.see("lejos");
  await page.getByRole("navigation", { name: "Secciones" }).getByRole("link", { name: "Pendientes" }).click();
  await page.getByText("registros no contestó").waitFor();
  await visit.see("pendientes");
  await control("iniciar", "registros");
}

const MANY = 20_000;

// cut has the gateway killed in the middle of a file, and then registros: it goes on where it
// stopped, and in the end every row is there once.
export async function cut(visit, { second, control }) {
  const { page } = visit;
  await visit.enter(second);
  await choose(visit, "cortado.csv", manyRows("K", MANY));
  await page.getByRole("button", { name: /^Validar/ }).click();
  await validated(page);
  await page.getByRole("button", { name: "Enviar 20,000 registros" }).click();
  for (const [program, far] of [["gateway", 2000], ["registros", 8000]]) {
    await page.waitForFunction((rows) => document.querySelector("progress").value >= rows, far);
    await control("matar", program);
    await page.getByText("Sin respuesta desde las").first().waitFor();
    const stopped = await page.locator("progress").evaluate((bar) => bar.value);
    assert.ok(stopped < MANY, "it was in the middle");
    await visit.see(`sin-${program}`);
    await control("iniciar", program);
    await page.getByRole("button", { name: "Reintentar ahora" }).click();
  }
  await sent(page);
  assert.equal(await counted(page, "Creados") + await counted(page, "Sin cambios"), MANY);
  assert.equal(await counted(page, "Rechazados"), 0);
}
