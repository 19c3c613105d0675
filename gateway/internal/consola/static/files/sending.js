// Sends the items of a file in batches, one after the other: it can be paused, waits out what
// passes by itself for as long as it takes, and always goes on with the batch where it stopped.
// Every batch is safe to repeat: its folios say which records they are.
import { observacionesOf } from "./observaciones.js";

// With 500 records, ten observations for each have room in an answer.
const BATCH = 500;
const LONGEST_WAIT = 60_000;

// A Sending tells of itself by "change". Its state is ready, running, waiting, paused, stopped or done.
export class Sending extends EventTarget {
  state = "ready";
  done = 0;
  counts = {};
  observaciones = [];
  omitted = 0;
  fault = null; // why it waits or stopped
  since = null; // since when it waits
  retryAt = null;

  #items;
  #post;
  #looping = false;
  #wake = () => {};

  // post sends a batch of registros and answers, or throws what has a "passing" of true if it can
  // be repeated, and "wait" in milliseconds if the service says so.
  constructor(items, post) {
    super();
    this.#items = items;
    this.#post = post;
  }

  get total() {
    return this.#items.length;
  }

  get active() {
    return this.state === "running" || this.state === "waiting";
  }

  async run() {
    if (this.active || this.state === "done") return;
    this.#become("running");
    if (this.#looping) return; // paused and resumed while an answer was awaited
    this.#looping = true;
    while (this.done < this.total && this.active) await this.#step();
    this.#looping = false;
    if (this.active) this.#become("done");
  }

  pause() {
    if (!this.active) return;
    this.#become("paused");
    this.#wake();
  }

  // retry ends the waiting at once.
  retry() {
    this.#wake();
  }

  async #step() {
    const batch = this.#items.slice(this.done, this.done + BATCH);
    for (let attempt = 0; this.active; attempt++) {
      try {
        this.#take(await this.#post(batch.map((item) => item.registro)), batch);
        return;
      } catch (fault) {
        if (!this.active) return; // paused meanwhile: the batch is sent again later
        this.fault = fault;
        if (!fault.passing) return this.#become("stopped");
        await this.#wait(fault.wait ?? Math.min(1000 * 2 ** attempt, LONGEST_WAIT));
      }
    }
  }

  #take(answer, batch) {
    [this.fault, this.since, this.retryAt] = [null, null, null];
    for (const [name, value] of Object.entries(answer)) {
      if (typeof value === "number" && name !== "observaciones_omitidas") this.counts[name] = (this.counts[name] ?? 0) + value;
    }
    this.observaciones.push(...observacionesOf(answer, batch));
    this.omitted += answer.observaciones_omitidas;
    this.done += batch.length;
    this.#become(this.state === "paused" ? "paused" : "running");
  }

  async #wait(milliseconds) {
    this.since ??= new Date();
    this.retryAt = new Date(Date.now() + milliseconds);
    this.#become("waiting");
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    if (this.active) this.#become("running");
  }

  #become(state) {
    this.state = state;
    this.dispatchEvent(new Event("change"));
  }
}
