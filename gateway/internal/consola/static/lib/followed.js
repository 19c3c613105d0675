// A list that is kept current: asked for again with its ETag, which costs nothing while nothing
// changed. What was read stays when the service is away, and says since when.
export class Followed extends EventTarget {
  rows = null;
  fault = null;
  since = null; // of the fault
  readAt = null; // when the rows were last known to be current
  loading = false;

  #path;
  #etag = null;

  constructor(client, path) {
    super();
    this.client = client;
    this.#path = path;
  }

  async refresh() {
    if (this.loading) return;
    this.loading = true;
    let changed = false;
    try {
      const { data, etag, unchanged } = await this.client.get(this.#path, this.#etag);
      if (!unchanged) [this.rows, this.#etag, changed] = [data, etag, true];
      [this.fault, this.since, this.readAt] = [null, null, new Date()];
    } catch (fault) {
      this.fault = fault;
      this.since ??= new Date();
    }
    this.loading = false;
    if (changed) this.dispatchEvent(new Event("rows"));
    this.dispatchEvent(new Event("state"));
  }
}

const EVERY = 20_000;

// follow refreshes the lists now, every so often while the page is seen, and as soon as it is
// seen again or the connection is back. It gives a function that ends it.
export function follow(lists) {
  const refresh = () => {
    if (!document.hidden) for (const each of lists) each.refresh();
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
