// How the console's tasks look at it: each in a browser context of its own, which is watched for
// requests that leave the host and complaints of the page, and whose screens are kept and checked
// by axe.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export const LOOKS = [
  { name: "ancha-clara", viewport: { width: 1360, height: 900 }, colorScheme: "light" },
  { name: "angosta-oscura", viewport: { width: 375, height: 740 }, colorScheme: "dark" },
  { name: "ancha-oscura", viewport: { width: 1360, height: 900 }, colorScheme: "dark" },
  { name: "angosta-clara", viewport: { width: 375, height: 740 }, colorScheme: "light" },
];

const NETWORK_CHANGED = "net::ERR_NETWORK_CHANGED";

// A Visit is one person's look at the console.
export class Visit {
  expected = []; // refusals that the task provokes, by their status

  static async start(browser, { base, screenshots, name, look, expected = [] }) {
    const { viewport, colorScheme } = look;
    const context = await browser.newContext({ viewport, colorScheme, locale: "es-MX", acceptDownloads: true });
    const visit = new Visit();
    Object.assign(visit, { base, screenshots, name: `${name}-${look.name}`, look, context, expected: [NETWORK_CHANGED, ...expected], strangers: [], complaints: [], dialogs: [], shots: 0 });
    visit.page = await context.newPage();
    visit.page.setDefaultTimeout(120_000);
    visit.#watch();
    await visit.#arrive();
    return visit;
  }

  // A machine whose network changes meanwhile cuts requests of its own browser; a person reloads.
  async #arrive() {
    let cut = false;
    this.page.on("requestfailed", (request) => { cut ||= request.failure().errorText === NETWORK_CHANGED; });
    do {
      cut = false;
      await this.page.goto(`${this.base}/consola`, { waitUntil: "networkidle" });
    } while (cut);
    await this.page.getByRole("heading", { level: 1 }).waitFor();
  }

  #watch() {
    const host = new URL(this.base).host;
    this.page.on("request", (request) => {
      const { protocol, host: asked } = new URL(request.url());
      if (protocol !== "blob:" && asked !== host) this.strangers.push(request.url());
    });
    this.page.on("console", (message) => {
      if (!["error", "warning"].includes(message.type()) || this.expected.some((each) => message.text().includes(each))) return;
      this.complaints.push(message.text());
    });
    this.page.on("pageerror", (error) => this.complaints.push(String(error.stack)));
    this.page.on("dialog", (dialog) => {
      this.dialogs.push(dialog.message());
      return dialog.dismiss();
    });
  }

  async enter(key, { keep = false } = {}) {
    await this.page.getByLabel("Llave de la API").fill(key);
    if (keep) await this.page.getByLabel("Conservarla").check();
    await this.page.getByRole("button", { name: "Entrar" }).click();
  }

  async operate({ usuario, clave, codigo = "" }) {
    await this.page.getByRole("button", { name: "Operador" }).click();
    await this.page.getByLabel("Usuario").fill(usuario);
    await this.page.getByLabel("Clave", { exact: true }).fill(clave);
    await this.page.getByLabel("Código").fill(codigo);
    await this.page.getByRole("button", { name: "Entrar" }).click();
  }

  async leave() {
    await this.page.getByRole("button", { name: "Salir" }).click();
    await this.page.getByRole("heading", { level: 1, name: "Entrar a la consola" }).waitFor();
  }

  // close leaves a dialog, which is gone then with all that it said.
  async close() {
    await this.page.keyboard.press("Escape");
    await this.page.locator("dialog").waitFor({ state: "detached" });
  }

  async open(section) {
    await this.page.getByRole("navigation", { name: "Secciones" }).getByRole("link", { name: section, exact: true }).click();
    await this.page.getByRole("heading", { level: 1, name: section }).waitFor();
  }

  // look keeps the screen and lets axe judge it. Nothing may be wider than the screen.
  async see(what) {
    this.shots += 1;
    await this.page.screenshot({ path: `${this.screenshots}/${this.name}-${String(this.shots).padStart(2, "0")}-${what}.png`, fullPage: true });
    await this.page.evaluate(axe);
    const { violations, passes } = await this.page.evaluate((rules) => globalThis.axe.run(document, { runOnly: rules }), RULES);
    assert.ok(passes.length > 10, `${this.name}, ${what}: axe looked at nothing`);
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.failureSummary}`).join("; ")}`);
    assert.deepEqual(found, [], `${this.name}, ${what}: what axe finds`);
    const width = await this.page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= this.look.viewport.width, `${this.name}, ${what}: the page is ${width} wide`);
  }

  async download(button) {
    const [download] = await Promise.all([this.page.waitForEvent("download"), this.page.getByRole("button", { name: button }).click()]);
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
  }

  async end() {
    await this.context.close();
    assert.deepEqual(this.strangers, [], `${this.name}: requests that left the host`);
    assert.deepEqual(this.complaints, [], `${this.name}: errors`);
    assert.deepEqual(this.dialogs, [], `${this.name}: dialogs`);
  }
}

// visiting does a task and gives what it says; it tells what the page complained of when it fails.
export async function visiting(browser, about, task) {
  const visit = await Visit.start(browser, about);
  let said;
  try {
    said = await task(visit);
  } catch (error) {
    await visit.page.screenshot({ path: `${about.screenshots}/${visit.name}-fallo.png` });
    throw new AggregateError([error, ...visit.complaints.map(String)], `${visit.name}: ${error.message}\ncomplaints: ${visit.complaints.join("; ") || "none"}`);
  }
  await visit.end();
  return said;
}
