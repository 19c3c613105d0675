// The operators' own accounts: made, with a second factor, and ended.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";

const OTRO = "operador-2";

// accounts makes an operator, who enrols a second factor at the first login because that is required
// now, comes in with a recovery code, changes the factor, and does what operators need of each other.
export async function accounts(visit, { operador, control }) {
  const { page } = visit;
  await visit.operate(operador);
  await visit.open("Operadores");
  await page.getByRole("button", { name: "Dar de alta a un operador" }).click();
  await page.getByRole("dialog").getByLabel("Nombre con que entra").fill(OTRO);
  await visit.see("alta");
  await page.getByRole("dialog").getByRole("button", { name: "Dar de alta" }).click();
  const first = await shownOnce(visit, 1);
  await refuseOnce(page, "**/operador/usuarios/*/clave");
  const another = await operatorAct(visit, OTRO, "Clave nueva", "Cambiar", () => shownOnce(visit, 1), () => showAgain(visit, operador.clave));
  assert.notEqual(another, first);
  await visit.see("operadores");
  await leaveForGood(visit);

  await control("exigir", "integracion");
  await visit.operate({ usuario: OTRO, clave: another });
  await toldOfReset(visit);
  await page.getByRole("heading", { level: 1, name: "Inscriba su segundo factor" }).waitFor();
  await page.getByLabel("Código que muestra la aplicación").waitFor();
  assert.equal(await page.getByRole("navigation", { name: "Secciones" }).getByRole("link").count(), 1);
  await visit.see("inscribir");
  const [recovery] = await enrol(visit);
  await visit.leave();

  await visit.operate({ usuario: OTRO, clave: another });
  await page.getByRole("alert").waitFor();
  await visit.operate({ usuario: OTRO, clave: another, codigo: recovery });
  await toldOfReset(visit);
  await page.getByRole("heading", { level: 1, name: "Qué necesita a alguien" }).waitFor();
  await page.getByRole("region", { name: "Cuentas restablecidas" }).getByText(OTRO).waitFor();
  await visit.see("restablecida");
  await visit.open("Mi cuenta");
  await page.getByText("Con segundo factor").waitFor();
  assert.equal(await page.locator(".datos dd").innerText(), "9");
  await page.getByRole("button", { name: "Cambiar el segundo factor" }).click();
  await enrol(visit);
  await page.locator(".datos dd", { hasText: "10" }).waitFor();
  await visit.see("cuenta");
  await ofEachOther(visit, operador.usuario);
}

// ofEachOther takes a factor and tokens away and ends an account; nobody ends the own one.
async function ofEachOther(visit, usuario) {
  const { page } = visit;
  await visit.open("Operadores");
  await operatorAct(visit, usuario, "Quitar el segundo factor", "Quitar");
  await operatorAct(visit, usuario, "Anular sus tokens", "Anular");
  await operatorAct(visit, usuario, "Dar de baja", "Dar de baja");
  await page.locator(".tabla-cuerpo .tabla-fila", { has: page.getByRole("button", { name: usuario, exact: true }) }).getByText("De baja").waitFor();
  await page.getByRole("button", { name: OTRO, exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Dar de baja" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Dar de baja" }).click();
  assert.match(await page.getByRole("alert").innerText(), /Nadie se da de baja a sí mismo[^]*Solicitud/);
  await visit.see("propia");
  await visit.close();
  await visit.open("Bitácora");
  await page.getByRole("table", { name: "Bitácora" }).getByRole("button").first().waitFor();
  await visit.see("bitacora");
}

// refuseOnce answers the next request as if the login were too long ago.
async function refuseOnce(page, address) {
  const problem = { title: "La sesión no es reciente", status: 403, detail: "Inicie sesión otra vez.", codigo: "sesion_antigua", errores: [] };
  await page.route(address, (route) => route.fulfill({ status: 403, contentType: "application/problem+json", body: JSON.stringify(problem) }), { times: 1 });
}

// showAgain gives the clave that is asked for again; the token from before is voided.
async function showAgain(visit, clave) {
  const { page } = visit;
  const again = page.getByRole("dialog", { name: "Confirme que es usted" });
  await again.getByLabel("Clave", { exact: true }).fill(clave);
  await visit.see("otra-vez");
  const closed = page.waitForResponse((answer) => answer.request().method() === "DELETE");
  await again.getByRole("button", { name: "Continuar" }).click();
  assert.equal((await closed).status(), 200);
}

// leaveForGood goes, and the token goes with it.
async function leaveForGood(visit) {
  const closed = visit.page.waitForResponse((answer) => answer.request().method() === "DELETE");
  await visit.leave();
  assert.equal((await closed).status(), 200);
}

// toldOfReset reads that another operator changed the account.
async function toldOfReset(visit) {
  await visit.page.getByRole("dialog", { name: "Alguien cambió su cuenta" }).getByText("Clave nueva").waitFor();
  await visit.see("avisada");
  await visit.close();
}

async function operatorAct(visit, usuario, act, verb, after = async () => {}, meanwhile = async () => {}) {
  const { page } = visit;
  await page.getByRole("button", { name: usuario, exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: act }).click();
  await page.getByRole("heading", { level: 2, name: `${act}: ${usuario}` }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: verb }).click();
  await meanwhile();
  await page.getByRole("heading", { level: 2, name: `${act}: ${usuario}` }).waitFor({ state: "detached" });
  return after();
}

// shownOnce reads one of the secrets in the dialog and closes it.
async function shownOnce(visit, at) {
  const { page } = visit;
  await page.getByText("no se vuelve a mostrar").waitFor();
  const secret = await page.getByRole("dialog").locator("code").nth(at).innerText();
  await visit.close();
  assert.ok(!(await page.content()).includes(secret), "a secret is shown once");
  return secret;
}

// enrol reads the secret off the screen, as an app is told it, and gives the recovery codes.
async function enrol(visit) {
  const { page } = visit;
  const secret = await page.locator(".secretos code").first().innerText();
  await page.getByLabel("Código que muestra la aplicación").fill(totp(secret));
  await page.getByRole("button", { name: "Confirmar" }).click();
  await page.getByRole("heading", { name: "Códigos de recuperación" }).waitFor();
  await visit.see("recuperacion");
  const codes = await page.getByRole("dialog").locator("code").allInnerTexts();
  assert.equal(new Set(codes).size, 10);
  await visit.close();
  await page.getByRole("heading", { level: 1, name: "Mi cuenta" }).waitFor();
  return codes;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

// totp is the code of RFC 6238 for a secret at this moment.
function totp(secret) {
  const bits = [...secret].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((each) => parseInt(each, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const sum = createHmac("sha1", key).update(step).digest();
  const number = sum.readUInt32BE(sum.at(-1) & 0xf) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}
