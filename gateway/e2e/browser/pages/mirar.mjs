// Opens /docs and /redoc of a running gateway in a headless Chromium and fails unless both show
// every route, "try it out" sends a ping, each error's address explains it, no request leaves the host
// and the console stays without errors.
//
// BASE_URL is the gateway's with its ROOT_PATH, SCREENSHOTS the folder for what was seen.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const base = process.env.BASE_URL;
const screenshots = process.env.SCREENSHOTS;

const document = await (await fetch(`${base}/openapi.json`)).json();
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
);

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
try {
  await inPage("docs", checkDocs);
  await inPage("redoc", checkRedoc);
  await inPage("errores", checkErrors);
} finally {
  await browser.close();
}
console.log(`${operations.length} routes shown at ${base}/docs and ${base}/redoc; a ping was sent`);

// inPage runs a check and then looks at what the page asked for and complained of.
async function inPage(name, check) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  page.setDefaultTimeout(60_000);
  const strangers = [];
  const complaints = [];
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (!["data:", "blob:"].includes(protocol) && host !== new URL(base).host) strangers.push(request.url());
  });
  page.on("requestfailed", (request) => complaints.push(`${request.url()}: ${request.failure().errorText}`));
  page.on("response", (answer) => answer.status() >= 400 && complaints.push(`${answer.url()}: ${answer.status()}`));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  try {
    await check(page);
  } catch (error) {
    throw new AggregateError([error, ...complaints], `${name}: ${error.message}; complaints: ${complaints.join("; ") || "none"}`);
  } finally {
    await page.screenshot({ path: `${screenshots}/${name}.png` });
  }
  assert.deepEqual(strangers, [], `${name}: requests that left the host`);
  assert.deepEqual(complaints, [], `${name}: errors`);
  await page.close();
}

async function checkDocs(page) {
  await page.goto(`${base}/docs`);
  await page.locator(".opblock").first().waitFor();
  const shown = await page.locator(".opblock-summary-path").evaluateAll((all) => all.map((each) => each.dataset.path));
  assert.deepEqual(shown.toSorted(), operations.map((each) => each.path).toSorted(), "routes in /docs");

  await page.locator(".authorize.unlocked").first().click();
  await page.locator(".auth-container", { hasText: "X-API-Key" }).locator("input").fill(process.env.API_KEY);
  await page.locator(".auth-container", { hasText: "X-API-Key" }).locator(".authorize").click();
  await page.locator(".btn-done").first().click();

  const ping = page.locator(".opblock", { hasText: "/cliente/sandbox/ping" });
  await ping.locator(".opblock-summary-control").click();
  await ping.locator(".try-out__btn").click();
  await ping.locator(".execute").click();
  const answer = ping.locator(".live-responses-table");
  await answer.waitFor();
  assert.match(await answer.locator(".response-col_status").last().innerText(), /^200/, "status of the ping");
  assert.match(await answer.innerText(), /pong/, "answer to the ping");
  await ping.scrollIntoViewIfNeeded();
}

async function checkRedoc(page) {
  await page.goto(`${base}/redoc`);
  await page.locator("[id='operation/Ping']").waitFor();
  for (const { operationId } of operations) {
    assert.equal(await page.locator(`[id='operation/${operationId}']`).count(), 1, `${operationId} in /redoc`);
  }
  const text = await page.locator(".redoc-wrap").innerText();
  for (const { name } of document.tags) {
    assert.ok(text.includes(name), `${name} in /redoc`);
  }
  await page.locator("input[type='text']").fill("lote");
  await page.locator("[data-role='search:results'] li").first().waitFor();
}

// checkErrors reads the page that the type of each problem leads to, and its section in /redoc.
async function checkErrors(page) {
  await page.goto(`${base}/redoc`);
  await page.locator("[id='operation/Ping']").waitFor();
  const sections = await page.locator(".redoc-wrap").innerText();
  const codigos = document.components.schemas.Problema.properties.codigo.enum;
  for (const codigo of codigos) {
    assert.ok(sections.includes(codigo), `section of ${codigo}`);
    await page.goto(`${base}/errores/${codigo}`);
    assert.match(await page.locator("body").innerText(), new RegExp(`^.+\n+Error ${codigo}, estado HTTP \\d{3}.*\n+Causa\n+.+\n+Qué hacer\n+.+$`), `page of ${codigo}`);
  }
  assert.equal((await page.request.get(`${base}/errores/no_hay_tal`)).status(), 404);
}
