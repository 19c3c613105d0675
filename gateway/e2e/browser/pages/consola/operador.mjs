// What an operator does.
import assert from "node:assert/strict";

async function logIn(visit, { usuario, clave }) {
  const { page } = visit;
  await page.getByRole("button", { name: "Operador" }).click();
  await page.getByLabel("Usuario").fill(usuario);
  await page.getByLabel("Clave", { exact: true }).fill(clave);
  await page.getByRole("button", { name: "Entrar" }).click();
}

// operate is refused with a wrong password, then sees all institutions and does what one of them
// needs: a key that is shown once, its deliveries held back, and everything undone again.
export async function operate(visit, { operador }) {
  const { page } = visit;
  await logIn(visit, { ...operador, clave: "no es esta clave" });
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /Solicitud/);
  await visit.see("clave-mala");
  await logIn(visit, operador);
  await visit.open("Instituciones");
  await page.getByRole("table", { name: "Instituciones" }).getByText("Laboratorio Demo 2").waitFor();
  await visit.see("instituciones");
  assert.deepEqual(await page.evaluate(() => [{ ...sessionStorage }, { ...localStorage }]), [{}, {}]);

  await page.getByRole("button", { name: "Laboratorio Demo 1" }).click();
  await page.getByRole("heading", { level: 1, name: "Laboratorio Demo 1" }).waitFor();
  await page.getByText("Primer registro: hecho").waitFor();
  await visit.see("institucion");
  await keys(visit);
  await pause(visit);
}

async function keys(visit) {
  const { page } = visit;
  const name = `Prueba ${visit.name}`;
  await page.getByRole("button", { name: "Emitir una llave" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Para qué es").fill(name);
  await dialog.getByLabel("eventos").check();
  await visit.see("emitir");
  await dialog.getByRole("button", { name: "Emitir" }).click();
  await dialog.getByText("no se vuelve a mostrar").waitFor();
  const key = await dialog.locator("code").first().innerText();
  assert.match(key, /^iis_development_\w+$/);
  await visit.see("llave");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.ok(!(await page.content()).includes(key), "the key is shown once");
  await page.getByRole("button", { name: `Revocar la llave ${name}` }).click();
  await dialog.getByRole("button", { name: "Revocar" }).click();
  await page.getByRole("row", { name }).getByText("Revocada").waitFor();
}

async function pause(visit) {
  const { page } = visit;
  await page.getByRole("button", { name: "Pausar las entregas" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Pausar" }).click();
  await page.getByRole("button", { name: "Reanudar las entregas" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Reanudar" }).click();
  await page.getByRole("button", { name: "Pausar las entregas" }).waitFor();
}
