// Does with the console of a running system what people do with it, in a headless Chromium: on a
// narrow and a wide screen, in light and dark, as both demo institutions.
//
// BASE_URL is the gateway's with its ROOT_PATH, SCREENSHOTS the folder for what was seen, API_KEY_1
// and API_KEY_2 the keys of the institutions, OPERADOR_USUARIO and OPERADOR_CLAVE the operator's.
import { chromium } from "playwright-core";
import { LOOKS, visiting } from "./consola/visit.mjs";
import { comeIn, look, lookAsTheOther } from "./consola/institucion.mjs";
import { sendCSV, sendMany, sendXLSX } from "./consola/envio.mjs";
import { operate } from "./consola/operador.mjs";
import { hostile, many, outage } from "./consola/lists.mjs";

const { BASE_URL: base, SCREENSHOTS: screenshots, API_KEY_1: first, API_KEY_2: second, CHROMIUM: executablePath } = process.env;
const operador = { usuario: process.env.OPERADOR_USUARIO, clave: process.env.OPERADOR_CLAVE };
const whole = process.env.WHOLE === "true";

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const told = [];
const does = async (name, look, task, more = {}) => {
  await visiting(browser, { base, screenshots, name, look, ...more }, async (visit) => {
    const said = await task(visit, { first, second, operador });
    if (said) told.push(`${name}: ${said}`);
  });
};

try {
  const [wideLight, narrowDark, wideDark, narrowLight] = LOOKS;
  await does("entrar", wideLight, comeIn, { expected: ["401"] });
  for (const each of whole ? [wideLight, narrowDark] : [wideDark]) await does("mirar", each, look);
  if (whole) {
    for (const each of [wideLight, narrowDark]) await does("operador", each, operate, { expected: ["401"] });
    await does("otra", narrowLight, lookAsTheOther);
    await does("csv", wideDark, sendCSV);
    await does("xlsx", narrowDark, sendXLSX);
    await does("muchos", wideLight, sendMany, { expected: ["ERR_INTERNET_DISCONNECTED"] });
    await does("hostil", wideLight, hostile);
    await does("lista", wideLight, many);
    await does("caida", narrowLight, outage, { expected: ["503", "ERR_INTERNET_DISCONNECTED"] });
  }
} finally {
  await browser.close();
}
console.log(told.join("\n"));
