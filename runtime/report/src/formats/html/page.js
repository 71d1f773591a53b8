"use strict";
// The page is complete without this script, which only moves, hides and shows what is there. It makes no markup of text.
addEventListener("DOMContentLoaded", () => {
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const byId = id => document.getElementById(id);

  // Light and dark: as the system has it, unless chosen.
  const theme = byId("theme"), dark = matchMedia("(prefers-color-scheme: dark)");
  const remembered = () => { try { return localStorage.getItem("p5inst-theme"); } catch { return null; } };
  const remember = name => { try { localStorage.setItem("p5inst-theme", name); } catch { /* a file may have no storage */ } };
  const paint = name => {
    if (name) document.documentElement.dataset.theme = name;
    theme.setAttribute("aria-pressed", (name ? name === "dark" : dark.matches) ? "true" : "false");
  };
  paint(remembered());
  dark.addEventListener("change", () => paint(document.documentElement.dataset.theme));
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const name = theme.getAttribute("aria-pressed") === "true" ? "light" : "dark";
    paint(name);
    remember(name);
  });

  // Sorting: a button in each heading. Rows that span a table, such as names of files, go to its end, and the other rows
  // name their file instead. By the first heading, rows are in the order of the page, or in the opposite one.
  for (const table of all("table.sortable")) {
    const places = new Map(all("tbody tr", table).map((row, place) => [row, place]));
    const files = table.querySelector("tr.file") !== null;
    all("thead th", table).forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const falling = heading.getAttribute("aria-sort") === "ascending";
        for (const other of all("thead th", table)) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
        const ordered = files && column === 0;
        table.classList.toggle("mixed", !ordered || falling);
        const value = row => {
          if (ordered) return falling && row.className === "file" ? null : places.get(row);
          const cell = row.cells[column];
          if (!cell || (cell.colSpan > 1 && !cell.dataset.v)) return null;
          if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
          return cell.textContent.trim().toLowerCase() || null;
        };
        const order = (one, other) => {
          const [a, b] = [value(one), value(other)];
          if (a === null || b === null) return (a === null) - (b === null);
          const less = typeof a === typeof b ? a < b : typeof a === "number";
          return a === b ? 0 : (less ? -1 : 1) * (falling ? -1 : 1);
        };
        for (const body of table.tBodies) body.append(...[...body.rows].sort(order));
      });
    });
  }

  // Filters of the listing.
  const form = document.querySelector(".controls");
  if (form) {
    const rows = all("tbody tr:not(.file)", document.querySelector("table.listing"));
    const filter = () => {
      const words = byId("filter").value.trim().toLowerCase();
      const region = byId("region")?.value ?? "";
      const waits = byId("waits").checked;
      let shown = 0;
      for (const row of rows) {
        const fits = (!words || row.textContent.toLowerCase().includes(words))
          && (!region || (row.dataset.regions ?? "").split(" ").includes(region))
          && (!waits || row.dataset.waits !== undefined);
        row.hidden = !fits;
        shown += fits;
      }
      byId("shown").textContent = `${shown} of ${rows.length} lines`;
    };
    form.addEventListener("input", filter);
    form.addEventListener("submit", event => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(filter));
    filter();
  }

  // What explains a reason or a set is shown beside it, when it is pointed at or has the focus. Escape hides it.
  const tip = byId("tip");
  let owner = null, leaving = 0;
  const hide = () => {
    owner?.removeAttribute("aria-describedby");
    owner = null;
    tip.hidden = true;
  };
  const show = target => {
    clearTimeout(leaving);
    if (owner === target) return;
    hide();
    const rules = (target.dataset.rules ?? "").split(" ").map(byId).filter(Boolean);
    const parts = rules.flatMap(rule => [...rule.children].map(part => part.cloneNode(true)));
    if (!parts.length && !target.dataset.tip) return;
    tip.replaceChildren(...(parts.length ? parts : [target.dataset.tip]));
    tip.hidden = false;
    owner = target;
    target.setAttribute("aria-describedby", "tip");
    const at = target.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - size.width - 8));
    const below = at.bottom + size.height + 8 < innerHeight || at.top < size.height + 8;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${(below ? at.bottom + 6 : at.top - size.height - 6) + scrollY}px`;
  };
  const explained = node => node instanceof Element
    ? node.closest("[data-rules], [data-tip]") ?? node.closest(".lanes tr")?.querySelector("[data-rules]") : null;
  // What scrolls under a pointer at rest is not pointed at: the keyboard may be showing something else.
  let rest = "";
  const place = event => `${event.clientX} ${event.clientY}`;
  document.addEventListener("pointermove", event => { rest = place(event); });
  document.addEventListener("pointerover", event => {
    if (place(event) === rest) return;
    if (tip.contains(event.target)) return clearTimeout(leaving);
    const target = explained(event.target);
    if (target) show(target);
    else if (owner && owner !== document.activeElement) leaving = setTimeout(hide, 150);
  });
  document.addEventListener("focusin", event => {
    const target = event.target.closest?.("[data-rules], [data-tip]");
    if (target) show(target);
    else if (!tip.contains(event.target)) hide();
  });

  // One stop of the Tab key for each table of clocks and each map; arrow keys move inside.
  const stops = new Map();
  for (const table of all(".lanes, .map")) {
    const found = all(".why, td[data-tip]", table);
    found.forEach((stop, index) => { stop.tabIndex = index ? -1 : 0; stops.set(stop, found); });
  }
  document.addEventListener("keydown", event => {
    if (event.key === "Escape") return hide();
    const found = stops.get(event.target);
    if (!found) return;
    const row = event.target.matches("td") ? event.target.parentElement.cells.length - 1 : 1;
    const steps = { ArrowDown: row, ArrowUp: -row, ArrowRight: 1, ArrowLeft: -1, Home: -found.length, End: found.length };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const at = Math.max(0, Math.min(found.length - 1, found.indexOf(event.target) + step));
    event.target.tabIndex = -1;
    found[at].tabIndex = 0;
    found[at].focus();
  });

  addEventListener("beforeprint", () => { for (const part of all("details")) part.open = true; });
});
