// What stands around every view: who is in, the sections, the look, and whether Enlace answers.
import { button, foreign, h, replace } from "./lib/dom.js";
import { problemCard } from "./lib/problem.js";
import { themeSwitch } from "./lib/theme.js";
import { clockTime, isExact, showExact } from "./lib/time.js";

const [header, nav, main, status] = ["cabecera", "navegacion", "contenido", "estado"].map((id) => document.getElementById(id));

// announce tells a screen reader what changed without moving anything.
export function announce(text) {
  status.textContent = text;
}

// shell draws the page for whoever is in. A session has a name, sections ({path, title, view}),
// the lists whose state is told, and what to do when it ends. A view gives {element, stop}, and
// lists of its own if it has some.
export function shell({ entrada }) {
  let session = null;
  let shown = null;
  const banner = h("div", { class: "aviso-estado" });
  const page = { enter, leave, go };

  window.addEventListener("hashchange", () => session && show());
  document.querySelector(".saltar").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  const theme = themeSwitch();
  const exact = button("Hora de México", () => {
    showExact(!isExact());
    exact.textContent = isExact() ? "Hora exacta (UTC)" : "Hora de México";
  }, { class: "discreto", title: "Cambia entre la hora de la Ciudad de México y el instante exacto" });

  // enter begins a session, in the section of the address unless another is given.
  function enter(entered, path) {
    session?.end();
    session = entered;
    for (const list of session.lists) list.addEventListener("state", tellState);
    drawHeader();
    if (path || !sectionOf(location.hash)) history.replaceState(null, "", `#${path ?? session.sections[0].path}`);
    show();
  }

  function leave(fault) {
    session?.end();
    session = null;
    drawHeader();
    replace(banner);
    nav.hidden = true;
    history.replaceState(null, "", location.pathname);
    put("Entrar", entrada(page, fault));
  }

  // quit leaves at once, and says so if the service could not be told that the session is over.
  async function quit() {
    const closing = session.close?.();
    leave();
    try {
      await closing;
    } catch (fault) {
      if (!session && fault.status !== 401) leave(fault);
    }
  }

  // go opens a section, and hands it what it is to begin with.
  function go(path, start) {
    session.start = start;
    if (location.hash === `#${path}`) show();
    else location.hash = path;
  }

  function sectionOf(hash) {
    return session.sections.find((each) => `#${each.path}` === hash);
  }

  function show() {
    const section = sectionOf(location.hash) ?? session.sections[0];
    const start = session.start;
    session.start = undefined;
    drawNav(section);
    put(section.title, section.view(session, page, start));
    tellState();
  }

  function put(title, view) {
    shown?.stop?.();
    shown = view;
    for (const list of view.lists ?? []) list.addEventListener("state", tellState);
    document.title = `${title} · Enlace`;
    replace(main, banner, view.element);
    main.scrollTo?.(0, 0);
    window.scrollTo(0, 0);
    const heading = main.querySelector("h1");
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: true });
  }

  function drawHeader() {
    replace(header,
      h("span", { class: "marca" }, h("img", { src: "consola/icono.svg", alt: "", width: 28, height: 28 }), "Enlace"),
      session ? h("span", { class: "quien" }, foreign(session.name), session.detail ? h("span", { class: "tenue" }, foreign(session.detail)) : null) : null,
      h("span", { class: "mandos" }, session ? exact : null, theme, session ? button("Salir", quit, { class: "discreto" }) : null));
  }

  function drawNav(current) {
    nav.hidden = false;
    replace(nav, h("ul", {}, session.sections.filter((each) => !each.inner).map((each) => h("li", {},
      h("a", { href: `#${each.path}`, "aria-current": each === current || current.under === each.path ? "page" : null }, each.title)))));
    nav.querySelector("[aria-current]").scrollIntoView({ block: "nearest", inline: "center" });
  }

  // What cannot be read leaves what is on the screen, and says since when.
  function tellState() {
    const failing = session && [...session.lists, ...(shown.lists ?? [])].find((list) => list.fault);
    if (!failing) return replace(banner);
    if ([401, 403].includes(failing.fault.status)) return leave(failing.fault);
    const told = `${failing.fault.status} ${failing.since?.getTime()}`;
    if (banner.firstElementChild?.dataset.dicho === told) return undefined;
    const seen = failing.readAt ? `Lo que ve es de las ${clockTime(failing.readAt)}. ` : "";
    const card = problemCard(failing.fault, h("p", {}, `Desde las ${clockTime(failing.since)}. ${seen}Se vuelve a preguntar por sí solo.`));
    card.dataset.dicho = told;
    return replace(banner, card);
  }

  return page;
}
