// Asks the routes, with the credential of who is in. An answer is taken or becomes a Fault.

// Everything is relative to where the page lies: the prefix of a proxy comes along by itself.
const BASE = new URL(".", document.baseURI).href;
const LIMIT = 120_000;
const FILE_LIMIT = 3_600_000; // all of an institution's time
// What passes by itself: asked again, the same request may be answered.
const PASSING = [429, 500, 502, 503, 504];

// A Fault is an answer that is none, or that nobody gave (status 0).
export class Fault extends Error {
  constructor(status, problem, retryAfter) {
    super(problem.detail);
    this.status = status;
    this.problem = problem;
    this.passing = status === 0 || PASSING.includes(status);
    this.away = status === 0 || [500, 502, 503, 504].includes(status);
    if (/^\d+$/.test(retryAfter ?? "")) this.wait = Number(retryAfter) * 1000;
  }
}

const SILENT = { title: "Enlace no responde", detail: "No hubo respuesta. Puede ser su conexión o el servicio." };

// A Client carries one credential, as headers; whoever drops the client drops the credential. renew,
// if given, is asked for others where the service wants a recent login, and the request is made again.
export class Client {
  #headers;
  #renew;

  constructor(headers, renew) {
    this.#headers = headers;
    this.#renew = renew;
  }

  async get(path, etag) {
    return this.#ask("GET", path, etag ? { "If-None-Match": etag } : {});
  }

  async post(path, body) {
    return body === undefined ? this.#ask("POST", path, {}) : this.#ask("POST", path, { "Content-Type": "application/json" }, JSON.stringify(body));
  }

  async delete(path) {
    return this.#ask("DELETE", path, {});
  }

  // file gives an answer that is a file.
  async file(path) {
    return (await this.#ask("GET", path, {}, undefined, { take: (answer) => answer.blob(), limit: FILE_LIMIT })).data;
  }

  async #ask(...request) {
    try {
      return await this.#send(...request);
    } catch (fault) {
      if (!this.#renew || fault.problem?.codigo !== "sesion_antigua") throw fault;
      this.#headers = await this.#renew(fault);
      return this.#send(...request);
    }
  }

  // Nothing is left in the browser's cache: it would outlive the tab.
  async #send(method, path, headers, body, { take = (answer) => answer.json(), limit = LIMIT } = {}) {
    const request = { method, body, headers: { ...this.#headers, ...headers }, cache: "no-store", credentials: "omit", redirect: "error", signal: AbortSignal.timeout(limit) };
    let answer;
    let data = null;
    try {
      answer = await fetch(BASE + path.slice(1), request);
      if (answer.status !== 304) data = await read(answer, take);
    } catch {
      throw new Fault(0, SILENT);
    }
    if (answer.status === 304) return { unchanged: true };
    if (!answer.ok) throw new Fault(answer.status, problemOf(answer, data), answer.headers.get("Retry-After"));
    return { data, etag: answer.headers.get("ETag") };
  }
}

// read gives null for a body that is no JSON on an answer that is a refusal anyway.
async function read(answer, take) {
  if (answer.ok) return take(answer);
  return answer.json().catch(() => null);
}

function problemOf(answer, data) {
  const problem = data && typeof data === "object" ? data : {};
  const words = problem.detail ?? problem.error;
  if (typeof words !== "string") {
    return { title: `Respuesta ${answer.status}`, detail: "Lo que respondió no es Enlace, o no está completo.", request_id: answer.headers.get("X-Request-ID") };
  }
  return { ...problem, title: problem.title ?? `Respuesta ${answer.status}`, detail: words };
}
