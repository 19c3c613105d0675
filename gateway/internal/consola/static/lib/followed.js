// What is read of the service and kept current: asked for again with its ETag, which costs nothing
// while nothing changed. What was read stays when the service is away, and says since when.
import { h, replace } from "./dom.js";

export class Followed extends EventTarget {
  rows = null;
  fault = null;
  since = null; // of the fault
  readAt = null; // when the rows were last known to be current
  loading = false;

  #path;
  #etag = null;
  #again = false;

  constructor(client, path) {
    super();
    this.client = client;
    this.#path = path;
  }

  // refresh asks again; what was asked before a change is asked once more after it.
  async refresh() {
    this.#again = this.loading;
    if (this.loading) return;
    this.loading = true;
    do {
      this.#again = false;
      await this.#read();
    } while (this.#again);
  }

  async #read() {
    let changed = false;
    try {
      const { data, etag, unchanged } = await this.client.get(this.#path, this.#etag);
      changed = !unchanged && (Boolean(etag) || !same(data, this.rows));
      if (!unchanged) [this.rows, this.#etag] = [data, etag];
      [this.fault, this.since, this.readAt] = [null, null, new Date()];
    } catch (fault) {
      this.fault = fault;
      this.since ??= new Date();
    }
    this.loading = this.#again;
    if (changed) this.dispatchEvent(new Event("rows"));
    this.dispatchEvent(new Event("state"));
  }
}

// What has no ETag is short.
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

const EVERY = 20_000;

// follow refreshes now, every so often while the page is seen, and as soon as it is seen again or
// the connection is back. It gives a function that ends it.
export function follow(sources) {
  const refresh = () => {
    if (document.hidden) return;
    for (const each of sources) if (!each.loading) each.refresh();
  };
  const timer = setInterval(refresh, EVERY);
  document.addEventListener("visibilitychange", refresh);
  window.addEventListener("online", refresh);
  refresh();
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", refresh);
    window.removeEventListener("online", refresh);
  };
}

// drawn shows what the sources have read with draw(...rows), anew whenever one of them changed.
export function drawn(sources, draw) {
  const element = h("div", { class: "vista" }, h("p", { class: "tenue" }, "Leyendo…"));
  const show = () => {
    if (sources.every((each) => each.rows)) replace(element, draw(...sources.map((each) => each.rows)));
  };
  for (const each of sources) each.addEventListener("rows", show);
  return element;
}

// followedView is a view that follows sources of its own as long as it is seen.
export function followedView(element, sources) {
  return { element, lists: sources, stop: follow(sources) };
}
