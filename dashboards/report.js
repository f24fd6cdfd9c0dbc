"use strict";
(() => {
  const all = (selector, at = document) => [...at.querySelectorAll(selector)];
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

  // The state of the page lives in the fragment, so that a link shows what its sender saw.
  const state = () => new URLSearchParams(location.hash.slice(1));
  const keep = (changes) => {
    const now = state();
    for (const [name, value] of Object.entries(changes)) value ? now.set(name, value) : now.delete(name);
    const text = now.toString();
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
  };

  // Light, dark, or as the system has it.
  const themes = ["auto", "light", "dark"];
  const theme = make("button", { type: "button" });
  const show_theme = (name) => {
    document.documentElement.dataset.theme = name;
    theme.textContent = "Theme: " + name;
  };
  theme.addEventListener("click", () => {
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length];
    show_theme(next);
    keep({ theme: next === "auto" ? "" : next });
  });
  document.querySelector("nav")?.append(theme);

  class CaseTable {
    constructor(table) {
      this.table = table;
      this.body = table.tBodies[0];
      this.rows = all("tr.case", table).map((row, order) => ({ row, detail: row.nextElementSibling, order }));
      this.heads = all("thead th", table);
      this.heads.forEach((head, column) => {
        const button = make("button", { type: "button", title: head.title }, ...head.childNodes);
        button.addEventListener("click", () => this.turn(column));
        head.append(button);
        head.removeAttribute("title");
        head.setAttribute("aria-sort", "none");
      });
      for (const entry of this.rows) {
        const name = entry.row.querySelector("td > b").firstChild;
        entry.detail.id = entry.row.id + "-more";
        const button = make("button", { type: "button", "aria-controls": entry.detail.id }, name.textContent);
        name.replaceWith(button);
        entry.button = button;
        button.addEventListener("click", () => this.open(entry, button.getAttribute("aria-expanded") === "false", true));
        this.open(entry, false);
      }
      this.add_filter();
    }

    open(entry, open, said = false) {
      entry.button.setAttribute("aria-expanded", String(open));
      entry.detail.classList.toggle("open", open);
      if (said) keep({ case: open ? entry.row.id : "" });
    }

    // Numbers by value, whatever is no number last, words by the alphabet.
    value(entry, column) {
      const cell = entry.row.cells[column];
      const number = parseFloat(cell.dataset.v ?? cell.textContent);
      return this.heads[column].classList.contains("num") ? number : cell.textContent;
    }

    turn(column) {
      const next = { none: "ascending", ascending: "descending", descending: "none" };
      this.sort(column, next[this.heads[column].getAttribute("aria-sort")]);
      keep({ sort: this.order === "none" ? "" : column + (this.order === "descending" ? "d" : "a") });
    }

    sort(column, order) {
      this.order = order;
      this.table.classList.toggle("sorted", order !== "none");
      this.heads.forEach((head, at) => head.setAttribute("aria-sort", at === column ? order : "none"));
      const sign = order === "descending" ? -1 : 1;
      const compare = (a, b) => {
        if (order === "none") return a.order - b.order;
        const x = this.value(a, column);
        const y = this.value(b, column);
        if (typeof x === "string") return sign * x.localeCompare(y, "en", { numeric: true }) || a.order - b.order;
        if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y) || a.order - b.order;
        return sign * (x - y) || a.order - b.order;
      };
      this.body.append(...[...this.rows].sort(compare).flatMap((entry) => [entry.row, entry.detail]));
    }

    add_filter() {
      this.search = make("input", { type: "search", placeholder: "any text", "aria-label": "Show rows that hold this text" });
      this.count = make("output");
      const reset = make("button", { type: "button" }, "Show all");
      const bar = make("div", { class: "filter", role: "search", "aria-label": "Filter the cases" }, this.search);
      this.choices = {};
      this.heads.forEach((head, column) => {
        const name = head.dataset.filter;
        if (!name) return;
        const words = [...new Set(this.rows.map((entry) => this.word(entry, column)))];
        const select = make("select", { "aria-label": "Show only this " + name }, new Option("every " + name, ""));
        for (const word of words) select.append(new Option(word, word));
        this.choices[name] = { select, column };
        bar.append(select);
      });
      bar.append(reset, this.count);
      bar.addEventListener("input", () => this.filter(true));
      reset.addEventListener("click", () => {
        this.search.value = "";
        for (const { select } of Object.values(this.choices)) select.value = "";
        this.filter(true);
      });
      this.table.parentElement.before(bar);
      this.filter(false);
    }

    word(entry, column) {
      return entry.row.cells[column].firstChild.textContent.trim();
    }

    filter(said) {
      const wanted = this.search.value.toLowerCase();
      let shown = 0;
      for (const entry of this.rows) {
        let match = !wanted || (entry.row.textContent + entry.detail.textContent).toLowerCase().includes(wanted);
        for (const { select, column } of Object.values(this.choices)) {
          match &&= !select.value || select.value === this.word(entry, column);
        }
        entry.row.classList.toggle("out", !match);
        entry.detail.classList.toggle("out", !match);
        shown += match;
      }
      this.count.textContent = shown + " of " + this.rows.length + " cases shown";
      if (!said) return;
      const changes = { q: this.search.value };
      for (const [name, { select }] of Object.entries(this.choices)) changes[name] = select.value;
      keep(changes);
    }

    restore(from) {
      this.search.value = from.get("q") ?? "";
      for (const [name, { select }] of Object.entries(this.choices)) {
        const value = from.get(name) ?? "";
        select.value = [...select.options].some((option) => option.value === value) ? value : "";
      }
      this.filter(false);
      const [, column, way] = (from.get("sort") ?? "").match(/^(\d+)([ad])$/) ?? [];
      if (column < this.heads.length) this.sort(+column, way === "d" ? "descending" : "ascending");
      for (const entry of this.rows) {
        const named = entry.row.id === from.get("case");
        entry.row.classList.toggle("named", named);
        if (!named) continue;
        this.open(entry, true);
        entry.row.scrollIntoView();
      }
    }
  }

  // Values on pointing, or with the arrow keys: the notes of the static drawing.
  const read_chart = (plot) => {
    const points = all(".pt, .gap", plot).filter((mark) => mark.querySelector("title"));
    const notes = points.map((mark) => mark.querySelector("title").textContent);
    points.forEach((mark) => mark.querySelector("title").remove());
    const tip = make("div", { class: "tip", role: "status" });
    plot.append(tip);
    let at = -1;
    const show = (next) => {
      points[at]?.classList.remove("on");
      at = next;
      const mark = points[at];
      tip.textContent = notes[at] ?? "";
      if (!mark) return;
      mark.classList.add("on");
      const frame = plot.getBoundingClientRect();
      const box = mark.getBoundingClientRect();
      const left = Math.min(box.x + box.width / 2 - frame.x, frame.width - tip.offsetWidth);
      const above = box.y - frame.y - tip.offsetHeight - 6;
      tip.style.left = Math.max(0, left) + "px";
      tip.style.top = (above < 0 ? box.y - frame.y + box.height + 6 : above) + "px";
    };
    const nearest = (event) => {
      let best = -1;
      let least = 40 * 40;
      points.forEach((mark, i) => {
        const box = mark.getBoundingClientRect();
        const dx = Math.max(box.left - event.clientX, 0, event.clientX - box.right);
        const dy = Math.max(box.top - event.clientY, 0, event.clientY - box.bottom);
        if (dx * dx + dy * dy < least) [best, least] = [i, dx * dx + dy * dy];
      });
      return best;
    };
    plot.addEventListener("pointermove", (event) => show(nearest(event)));
    plot.addEventListener("pointerleave", () => show(-1));
    plot.addEventListener("blur", () => show(-1));
    plot.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
      if (event.key === "Escape") show(-1);
      if (!(event.key in steps) || points.length === 0) return;
      event.preventDefault();
      show((at + steps[event.key] + points.length + (at < 0 && steps[event.key] < 0)) % points.length);
    });
  };

  const tables = all("table.cases").map((table) => new CaseTable(table));
  all(".plot").forEach(read_chart);
  const restore = () => {
    const from = state();
    show_theme(themes.includes(from.get("theme")) ? from.get("theme") : "auto");
    tables.forEach((table) => table.restore(from));
    if (!from.get("case")) document.getElementById(from.get("at"))?.scrollIntoView();
  };
  // Links within the page change what they name and keep the rest of the state, the theme above all.
  const follow = (wanted) => {
    const target = document.getElementById(wanted);
    if (target) {
      keep({ at: wanted });
      all(":scope > details", target).forEach((details) => (details.open = true));
      target.tabIndex = -1;
      target.focus({ preventScroll: true });
      return target.scrollIntoView();
    }
    const nothing = { q: "", case: "", at: "" };
    for (const table of tables) for (const name of Object.keys(table.choices)) nothing[name] = "";
    keep({ ...nothing, ...Object.fromEntries(new URLSearchParams(wanted)) });
    restore();
    (document.querySelector("tr.named") ?? tables[0]?.table)?.scrollIntoView();
  };
  addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    event.preventDefault();
    follow(link.getAttribute("href").slice(1));
  });
  addEventListener("hashchange", restore);
  restore();
})();
