// A file on its way: chosen, its columns matched, validated, sent. It outlives the view that
// shows it, so one may look at the cases meanwhile.
import { openFile } from "../files/tabla.js";
import { matchColumns, missing, repeated } from "../files/fields.js";
import { detectOrder, prepare } from "../files/registro.js";
import { Sending } from "../files/sending.js";
import { pause } from "../lib/dom.js";

export class Envio extends EventTarget {
  step = "archivo"; // archivo, columnas, validar, enviar
  file = null;
  tabla = null;
  mapping = [];
  order = "dmy";
  own = []; // what is wrong that the service cannot see
  validating = null;
  sending = null;

  #client;
  #opened = null;
  #guard = (event) => event.preventDefault();
  #online = () => (this.sending ?? this.validating)?.retry();

  constructor(client) {
    super();
    this.#client = client;
    window.addEventListener("online", this.#online);
  }

  get kind() {
    return this.#opened?.kind;
  }

  get sheets() {
    return this.#opened?.sheets ?? [];
  }

  async open(file) {
    this.#opened = await openFile(file, pause);
    this.file = file;
    await this.read({});
    this.#to("columnas");
  }

  // read reads the file again, as somebody says it is.
  async read(options) {
    this.options = options;
    this.tabla = await this.#opened.read(options);
    this.mapping = matchColumns(this.tabla.headings);
    this.order = detectOrder(this.tabla.rows, this.mapping);
  }

  get missing() {
    return missing(this.mapping);
  }

  get repeated() {
    return repeated(this.mapping);
  }

  // validate asks about every row that can be sent, and writes nothing.
  validate() {
    const { items, observaciones } = prepare(this.tabla.rows, this.tabla.headings, this.mapping, this.order);
    this.own = observaciones;
    this.items = items;
    this.validating = this.#start(items, "/cliente/registros/validar");
    this.#to("validar");
  }

  // good are the rows that the service said it would take.
  get good() {
    const wrong = new Set(this.validating.observaciones.filter((each) => each.gravedad === "error").map((each) => each.row));
    return this.items.filter((item) => !wrong.has(item.row));
  }

  send() {
    this.sending = this.#start(this.good, "/cliente/registros/lote");
    this.#to("enviar");
  }

  // back goes to the columns again, with what was said of them.
  back() {
    this.#pause();
    [this.validating, this.sending] = [null, null];
    this.#to("columnas");
  }

  // all that is wrong with the file, by row.
  get observaciones() {
    const told = [...this.own, ...(this.validating?.observaciones ?? [])];
    const late = (this.sending?.observaciones ?? []).filter((each) => each.gravedad === "error");
    return [...told, ...late].sort((a, b) => a.row - b.row);
  }

  // stop gives the file up.
  stop() {
    this.#pause();
    window.removeEventListener("online", this.#online);
  }

  #pause() {
    this.validating?.pause();
    this.sending?.pause();
  }

  #start(items, path) {
    const sending = new Sending(items, async (registros) => (await this.#client.post(path, { registros })).data);
    sending.addEventListener("change", () => this.#guardPage(sending));
    sending.run();
    return sending;
  }

  // Who closes the tab in the middle of a file is asked first.
  #guardPage(sending) {
    if (sending.active) window.addEventListener("beforeunload", this.#guard);
    else window.removeEventListener("beforeunload", this.#guard);
  }

  #to(step) {
    this.step = step;
    this.dispatchEvent(new Event("step"));
  }
}
