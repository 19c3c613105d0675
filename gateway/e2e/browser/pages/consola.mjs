// Does with the console of a running system what people do with it, in a headless Chromium: on a
// narrow and a wide screen, in light and dark, as both demo institutions and as an operator.
//
// PART is which of the PARTS, BASE_URL the gateway's with its ROOT_PATH, CONTROL_URL what kills and
// starts its programs, SCREENSHOTS the folder for what was seen, API_KEY_1 and API_KEY_2 the keys of
// the institutions, OPERADOR_USUARIO and OPERADOR_CLAVE the operator's.
import { chromium } from "playwright-core";
import { LOOKS, visiting } from "./consola/visit.mjs";
import { accounts } from "./consola/cuentas.mjs";
import { comeIn, look, lookAsTheOther } from "./consola/institucion.mjs";
import { sendCSV, sendMany, sendXLSX, wrongFiles } from "./consola/envio.mjs";
import { away, cut, operatorsAway } from "./consola/fallas.mjs";
import { hostile, hostileToOperators } from "./consola/hostil.mjs";
import { many } from "./consola/lista.mjs";
import { operate } from "./consola/operador.mjs";

const { BASE_URL: base, CONTROL_URL: controlURL, PART: part, SCREENSHOTS: screenshots, API_KEY_1: first, API_KEY_2: second, CHROMIUM: executablePath } = process.env;
const operador = { usuario: process.env.OPERADOR_USUARIO, clave: process.env.OPERADOR_CLAVE };
const [wideLight, narrowDark, wideDark, narrowLight] = LOOKS;

// Each task is [name, what is done, looks, the refusals that it provokes].
const PARTS = {
  institucion: [["entrar", comeIn, [wideLight], ["401"]], ["mirar", look, [wideLight, narrowDark]], ["otra", lookAsTheOther, [wideDark, narrowLight]]],
  envio: [["csv", sendCSV, [wideDark]], ["xlsx", sendXLSX, [narrowLight]], ["malos", wrongFiles, [narrowDark]]],
  muchos: [["enviar", sendMany, [wideLight], ["ERR_INTERNET_DISCONNECTED"]], ["lista", many, [wideLight]]],
  operador: [["operador", operate, [wideLight, narrowDark], ["401", "422"]]],
  cuentas: [["cuentas", accounts, [narrowLight], ["401", "403", "409"]]],
  hostil: [["institucion", hostile, [wideLight], ["422"]], ["operador", hostileToOperators, [wideDark]]],
  fallas: [["lejos", away, [wideLight], ["503"]], ["operador", operatorsAway, [narrowDark], ["503"]], ["cortado", cut, [narrowLight], ["502", "503", "net::ERR_"]]],
  prefijo: [["entrar", comeIn, [wideLight], ["401"]], ["mirar", look, [wideDark]]],
};

async function control(act, program) {
  const answer = await fetch(`${controlURL}/${act}/${program}`, { method: "POST" });
  if (!answer.ok) throw new Error(`${act} ${program}: ${await answer.text()}`);
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  for (const [name, task, looks, expected] of PARTS[part]) {
    for (const look of looks) {
      const begun = Date.now();
      const said = await visiting(browser, { base, screenshots, name, look, expected }, (visit) => task(visit, { first, second, operador, control }));
      console.log([`${name}, ${look.name}: ${Math.round((Date.now() - begun) / 1000)} s`, said].filter(Boolean).join("; "));
    }
  }
} finally {
  await browser.close();
}
