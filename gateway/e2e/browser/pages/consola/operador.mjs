// What an operator does.
import assert from "node:assert/strict";

// operate is refused with a wrong password, then sees all institutions and does what one of them
// needs: a key that is shown once, its deliveries held back, and everything undone again.
export async function operate(visit, { operador, first }) {
  const { page } = visit;
  await visit.operate({ ...operador, clave: "no es esta clave" });
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /Solicitud/);
  await visit.see("clave-mala");
  await visit.operate(operador);
  await page.getByRole("heading", { level: 1, name: "Qué necesita a alguien" }).waitFor();
  await page.getByText("Al corriente").waitFor();
  await visit.see("pendientes");
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
  await report(visit);
  await person(visit);
  await records(visit, first);
  await bitacora(visit);
}

// records shows what an institution keeps of somebody, who asked for it, and erases one of them.
async function records(visit, key) {
  const { page } = visit;
  const [folio, curp] = [`BORRAR-${visit.name}`, "PEXA900115HDFRXN06"];
  const sent = await page.request.post(`${visit.base}/cliente/registros`, {
    headers: { "X-API-Key": key }, data: { folio, curp, tipo_evento: "Toma de muestra", fecha_evento: "2024-06-01", descripcion_lugar_evento: "Sucursal Centro", domicilio: { calle: "Calle Uno" } },
  });
  assert.equal(sent.status(), 201);
  await visit.open("Instituciones");
  await page.getByRole("button", { name: "Laboratorio Demo 1" }).click();
  await page.getByRole("button", { name: "Ver lo que guarda de una persona" }).click();
  await page.getByRole("heading", { level: 1, name: "Registros de una persona" }).waitFor();
  await visit.see("preguntar");
  await page.getByLabel("CURP o folio").fill("NO ES UNA CURP");
  await page.getByRole("button", { name: "Buscar" }).click();
  assert.match(await page.getByRole("alert").innerText(), /La CURP no es válida[^]*Solicitud/);
  await page.getByLabel("CURP o folio").fill(curp);
  await page.getByRole("button", { name: "Buscar" }).click();
  const row = page.getByRole("table", { name: "Registros de una persona" }).getByRole("button", { name: folio });
  await row.waitFor();
  await visit.see("registros");
  const { text } = await visit.download("Descargar CSV");
  assert.ok(text.includes(folio) && text.includes("Calle Uno"));
  await row.click();
  const dialog = page.getByRole("dialog");
  assert.match(await dialog.innerText(), /Domicilio: calle\nCalle Uno\n/);
  await visit.see("registro");
  await dialog.getByRole("button", { name: "Borrar este registro" }).click();
  await dialog.getByRole("heading", { name: "Borrar 1 registro" }).waitFor();
  await visit.see("borrar");
  await dialog.getByRole("button", { name: "Borrar", exact: true }).click();
  await row.waitFor({ state: "detached" });
}

// bitacora finds who held the deliveries back.
async function bitacora(visit) {
  const { page } = visit;
  await visit.open("Instituciones");
  await page.getByRole("button", { name: "Laboratorio Demo 1" }).click();
  await evidence(visit);
  await page.getByRole("button", { name: "Ver quién hizo qué" }).click();
  await page.getByRole("heading", { level: 1, name: "Bitácora de la institución" }).waitFor();
  const lines = page.getByRole("table", { name: "Bitácora de la institución" });
  await lines.getByRole("button", { name: "entrega_pausada" }).first().waitFor();
  await visit.see("bitacora");
  await page.getByLabel("Buscar").fill("entrega_pausada");
  await lines.getByRole("button", { name: "entrega_pausada" }).first().click();
  const said = await page.getByRole("dialog").innerText();
  assert.match(said, /Quién\noperador\n/);
  await visit.see("asiento");
  await visit.close();
  await page.getByLabel("Periodo").selectOption("Todo");
  await lines.getByRole("button").first().waitFor();
  await visit.open("Bitácora");
  await page.getByRole("table", { name: "Bitácora" }).getByRole("button").first().waitFor();
}

// report reads the line of a report: what was asked, searched, found, told and answered.
async function report(visit) {
  const { page } = visit;
  for (const plot of ["Registros recibidos en lotes", "Reportes activados", "Coincidencias halladas", "Tiempo en avisarlas"]) {
    await page.getByRole("img", { name: new RegExp(`^${plot}.*: lo más fue`) }).waitFor();
  }
  await page.getByRole("region", { name: "Reportes de la institución" }).getByRole("button").first().click();
  const line = page.locator(".historia");
  await line.waitFor();
  const said = await line.innerText();
  for (const each of [/La plataforma: activó el reporte/, /Fase 2 · Histórica/, /Enlace avisó: una coincidencia/, /Enlace avisó: el fin de la búsqueda histórica/, /respuesta 200/]) assert.match(said, each);
  await visit.see("reporte");
}

// person asks whether the platform was told of somebody.
async function person(visit) {
  const { page } = visit;
  await page.getByRole("navigation", { name: "Secciones" }).getByRole("link", { name: "Persona" }).click();
  await page.getByLabel("CURP").fill("RAXL991231MNLMXS05");
  await page.getByRole("button", { name: "Buscar" }).click();
  await page.getByText("Sí se avisó", { exact: true }).waitFor();
  await visit.see("persona");
  await page.getByLabel("CURP").fill("PEXA900115HDFRXN06");
  await page.getByRole("button", { name: "Buscar" }).click();
  await page.getByText("No se ha avisado", { exact: true }).waitFor();
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
  await visit.close();
  assert.ok(!(await page.content()).includes(key), "the key is shown once");
  await page.getByRole("button", { name: `Rotar la llave ${name}` }).click();
  await dialog.getByRole("button", { name: "Rotar" }).click();
  await dialog.getByText("no se vuelve a mostrar").waitFor();
  assert.notEqual(await dialog.locator("code").first().innerText(), key);
  await visit.close();
  await page.getByRole("button", { name: `Revocar la llave ${name}` }).first().click();
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

// evidence is saved as a file that says in itself whose it is.
async function evidence(visit) {
  const { page } = visit;
  await page.getByRole("button", { name: "Descargar la evidencia" }).click();
  await visit.see("evidencia");
  const { name, text } = await visit.download(/^Descargar$/);
  assert.equal(name, "evidencia-LAB010101AB1.jsonl");
  assert.ok(text.includes("LAB010101AB1"));
}
