// Sending files as people have them.
import assert from "node:assert/strict";
import { spreadsheet } from "./xlsx.mjs";

const CURP = "PEXA900115HDFRXN06";

export async function choose(visit, name, buffer) {
  await visit.open("Enviar registros");
  await visit.page.locator("input[type=file]").setInputFiles({ name, mimeType: "application/octet-stream", buffer });
}

export async function validated(page) {
  await page.getByRole("progressbar", { name: "Validando" }).waitFor({ timeout: 120_000 });
  await page.getByText("Se revisó todo el archivo").first().waitFor({ timeout: 120_000 });
}

export const sent = (page) => page.getByText("Se envió todo el archivo").first().waitFor({ timeout: 120_000 });

export async function counted(page, label) {
  const text = await page.locator(".conteos div", { hasText: label }).locator("dd").innerText();
  return Number(text.replaceAll(",", ""));
}

// sendCSV sends a file in Windows-1252 with semicolons, headings of its own, a column that must
// not leave, and rows that are wrong; then corrects it and sends it again.
export async function sendCSV(visit, { second }) {
  const { page } = visit;
  const folio = visit.name;
  await visit.enter(second);
  const lines = [
    "Núm. de folio;CURP;Acto;Fecha de toma;Sucursal;Apellido paterno;Teléfono;Diagnóstico",
    `${folio}-1;${CURP};Toma de muestra;31/12/2025;Centro Médico Ñandú;MUÑOZ;=1+1;POSITIVO`,
    `${folio}-2;CORTA;Toma de muestra;05/01/2026;Centro;;;`,
    `${folio}-3;${CURP};Toma de muestra;05/01/2026;Centro;;55 5555 5555;`,
    `${folio}-3;${CURP};Toma de muestra;06/01/2026;Centro;;;`,
  ];
  await choose(visit, "registros de enero.csv", Buffer.from(lines.join("\r\n"), "latin1"));
  await page.getByRole("heading", { name: "Revise las columnas" }).waitFor();
  assert.equal(await page.getByLabel("Codificación").inputValue(), "windows-1252");
  assert.equal(await page.getByLabel("Separador").inputValue(), ";");
  assert.equal(await page.getByLabel("Campo de la columna Diagnóstico").inputValue(), "");
  await page.getByText("2025-12-31", { exact: true }).first().waitFor();
  await visit.see("columnas");
  await correctByHand(page);

  await page.getByRole("button", { name: /^Validar 4 filas/ }).click();
  await validated(page);
  assert.deepEqual([await counted(page, "Filas que entran"), await counted(page, "Filas con error")], [2, 2]);
  await page.locator(".grupo", { hasText: "El folio ya está en la fila 4" }).waitFor();
  await page.locator(".grupo", { hasText: "La CURP debe tener 18 caracteres" }).click();
  await page.getByRole("table", { name: "Observaciones por fila" }).getByText(`${folio}-2`).waitFor();
  await visit.see("validado");
  await faultsAsFile(visit);

  await page.getByRole("button", { name: "Enviar 2 registros" }).click();
  await sent(page);
  assert.deepEqual([await counted(page, "Creados"), await counted(page, "Rechazados")], [2, 0]);
  await visit.see("enviado");

  await page.getByRole("button", { name: "Enviar otro archivo" }).click();
  await choose(visit, "otra vez.csv", Buffer.from(lines.join("\r\n"), "latin1"));
  await page.getByRole("button", { name: /^Validar/ }).click();
  await validated(page);
  await page.getByRole("button", { name: "Enviar 2 registros" }).click();
  await sent(page);
  assert.equal(await counted(page, "Sin cambios"), 2);
}

async function correctByHand(page) {
  const act = page.getByLabel("Campo de la columna Acto");
  await act.selectOption("");
  await page.getByText("Falta decir qué columna es: Tipo de evento.").waitFor();
  assert.ok(await page.getByRole("button", { name: /^Validar/ }).isDisabled());
  await act.selectOption("folio");
  await page.getByText("Más de una columna es: Folio").waitFor();
  await act.selectOption("tipo_evento");
}

// faultsAsFile has the same cells, a column more, and no cell that a spreadsheet would calculate.
async function faultsAsFile(visit) {
  const { name, text } = await visit.download("Descargar el archivo con las observaciones");
  assert.equal(name, "registros de enero-observaciones.csv");
  const rows = text.replace(/\r\n$/, "").split("\r\n");
  assert.equal(rows.length, 5);
  assert.match(rows[0], /^\ufeff"Núm\. de folio";.*;"Diagnóstico";"observaciones"$/);
  assert.match(rows[1], /;"'=1\+1";"POSITIVO";"advertencia en telefono: /);
  assert.match(rows[2], /;"error en curp: La CURP debe tener 18/);
  assert.match(rows[4], /;"error en folio: El folio ya está en la fila 4/);
}

// sendXLSX sends the second sheet of a workbook, whose dates are numbers.
export async function sendXLSX(visit, { second }) {
  const { page } = visit;
  await visit.enter(second);
  const book = spreadsheet([
    ["Portada", [["Nada aquí"], ["Tampoco"]]],
    ["Registros", [["folio", "curp", "tipo_evento", "fecha_evento", "codigo_postal", "nombre"], ["X-1", CURP, "Toma de muestra", { day: 46000 }, { number: 6000 }, "<b>&amp;</b>"], [], ["X-2", CURP, "Entrega de resultados", { day: 46001.5 }]]],
  ]);
  await choose(visit, "libro.xlsx", book);
  await page.getByRole("heading", { name: "Revise las columnas" }).waitFor();
  await page.getByLabel("Hoja").selectOption({ label: "Registros" });
  await page.getByText("2025-12-09", { exact: true }).first().waitFor();
  await page.getByText("<b>&amp;</b>").first().waitFor();
  await visit.see("columnas");
  await page.getByRole("button", { name: "Validar 2 filas" }).click();
  await validated(page);
  await visit.see("validado");
  await page.getByRole("button", { name: "Enviar 2 registros" }).click();
  await sent(page);
  assert.equal(await counted(page, "Creados"), 2);
}

// What is wrong with a file, and what is said of it: which line, wherever there are lines.
const WRONG = [
  ["vacio.csv", "", "El archivo está vacío."],
  ["encabezado.csv", "folio,curp\n", "El archivo tiene solo el encabezado"],
  ["comillas.csv", 'folio,curp\n1,x\n2,"sin cerrar\n3,x\n', "Línea 3: las comillas de la celda"],
  ["nul.csv", "folio,curp\n1,a\n2,b\0\n", "Línea 3: hay un carácter NUL"],
  ["mezclado.csv", Buffer.concat([Buffer.from("folio,lugar\n1,Peñón\n2,Ángel\n3,"), Buffer.from("Núñez", "latin1")]), "Línea 4: hay bytes que no son UTF-8"],
  ["viejo.xls", Buffer.from("d0cf11e0a1b11ae1", "hex"), "Es un libro de Excel del formato anterior"],
  ["roto.xlsx", "PK\x03\x04 y nada más", "El archivo XLSX está dañado"],
];

// wrongFiles chooses files that cannot be read, and one whose third row has a cell too many.
export async function wrongFiles(visit, { second }) {
  const { page } = visit;
  await visit.enter(second);
  for (const [name, content, said] of WRONG) {
    await choose(visit, name, Buffer.from(content));
    const alert = page.getByRole("alert").filter({ hasText: name });
    await alert.getByText(said).waitFor();
  }
  await visit.see("malos");
  await choose(visit, "celdas.csv", Buffer.from(`folio,curp,tipo_evento,fecha_evento\n1,${CURP},Cita,2026-01-01\n2,${CURP},Cita, con coma,2026-01-01\n`));
  await page.getByRole("button", { name: /^Validar/ }).click();
  await validated(page);
  await page.getByRole("table", { name: "Observaciones por fila" }).getByRole("button", { name: "3", exact: true }).waitFor();
  await page.locator(".grupo", { hasText: "La fila tiene más celdas que el encabezado" }).waitFor();
}

// manyRows is a CSV file of so many rows.
export function manyRows(prefix, many) {
  const rows = Array.from({ length: many }, (_, n) => `${prefix}-${n},${CURP},Toma de muestra,2026-01-${String(1 + (n % 28)).padStart(2, "0")},Sucursal ${n % 90}`);
  return Buffer.from(["folio,curp,tipo_evento,fecha_evento,sucursal", ...rows].join("\n"));
}

const MANY = 50_000;

// sendMany sends 50,000 rows, pauses, looks elsewhere meanwhile, and loses the connection in the
// middle.
export async function sendMany(visit, { second }) {
  const { page, context } = visit;
  await visit.enter(second);
  const begun = Date.now();
  await choose(visit, "muchos.csv", manyRows("M", MANY));
  await page.getByRole("button", { name: /^Validar 50,000 filas/ }).click();
  await page.getByRole("button", { name: "Pausar" }).click();
  await page.getByText("En pausa:").first().waitFor();
  await visit.see("pausa");
  await page.getByRole("button", { name: "Continuar" }).click();
  await visit.open("Inicio");
  await visit.open("Enviar registros");
  await validated(page);
  const validatedAt = Date.now();

  await page.getByRole("button", { name: "Enviar 50,000 registros" }).click();
  await page.waitForFunction(() => document.querySelector("progress").value >= 2000);
  await context.setOffline(true);
  await page.getByText("Sin respuesta desde las").first().waitFor();
  await visit.see("sin-conexion");
  await context.setOffline(false);
  await sent(page);
  assert.equal(await counted(page, "Creados") + await counted(page, "Sin cambios"), MANY);
  assert.equal(await counted(page, "Rechazados"), 0);
  await visit.see("enviado");
  return `${MANY} rows validated in ${validatedAt - begun} ms, sent in ${Date.now() - validatedAt} ms`;
}
