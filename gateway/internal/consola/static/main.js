// The console: a client of the public routes like any other. Whoever comes in says who they are
// (entrada.js); what they then see is in institucion/. There is no state but in memory.
import { entrada, restored } from "./entrada.js";
import { shell } from "./shell.js";

const page = shell({ entrada });
const session = await restored();
if (session) page.enter(session);
else page.leave();
