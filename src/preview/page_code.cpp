#include "preview/page_code.hpp"

namespace hotpack::preview {

const std::string_view kPageStyle = R"(
:root { color-scheme: light dark; --paper: #fcfcfc; --ink: #141414; --faint: #555; --line: #c8c8c8; --box: #e8e8e8; --card: #fff; --bad: #96140a; --badbox: #fae0dc; --focus: #0b57d0 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181b; --ink: #ececec; --faint: #b0b3b8; --line: #44484e; --box: #0c0d0f; --card: #202327; --bad: #ffb4a8; --badbox: #4a1712; --focus: #8ab4f8 }
}
* { box-sizing: border-box }
body { font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 1680px; padding: 1rem; color: var(--ink); background: var(--paper) }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: break-word }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
[hidden] { display: none !important }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px }
.facts { display: flex; flex-wrap: wrap; gap: .2rem 1.5rem; margin: 0 0 1rem; padding: 0; list-style: none; color: var(--faint) }
.controls { display: flex; flex-wrap: wrap; gap: .6rem 1.2rem; align-items: center; margin: 0 0 1rem; padding: .7rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card) }
.controls label { display: inline-flex; gap: .4rem; align-items: center }
.controls input[type=search], .controls select { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 6px; padding: .3rem .5rem; min-width: 0; max-width: 100%; width: 15rem }
.controls fieldset { display: flex; gap: .9rem; border: 0; margin: 0; padding: 0 }
.count { color: var(--faint) }
.cells { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: 1rem; margin: 0; padding: 0; list-style: none }
.cell { display: flex; flex-direction: column; min-width: 0; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; background: var(--card) }
.frame { display: block; position: relative; width: 100%; aspect-ratio: 4 / 3; margin: 0; padding: 0; border: 0; background: var(--box); cursor: zoom-in }
.frame:focus-visible { outline-offset: -3px }
.frame img, .large img { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: contain }
.small img { image-rendering: pixelated }
[data-view=both] .pair .image { filter: grayscale(1) }
[data-view=both] .pair .label { opacity: .66 }
[data-view=image] .pair .label, [data-view=label] .pair .image { display: none }
.text { padding: .5rem .7rem .7rem; min-width: 0 }
.key { display: block; font-weight: 600; text-align: left; overflow-wrap: anywhere }
.remark { display: block; color: var(--faint); overflow-wrap: anywhere }
.problem { margin: 0; padding: .7rem; color: var(--bad); background: var(--badbox); overflow-wrap: anywhere }
.held { display: flex; flex-wrap: wrap; gap: .1rem .9rem; margin: .3rem 0 0; padding: 0; list-style: none; font-size: .9rem }
.held li { min-width: 0; overflow-wrap: break-word }
.swatch { width: .85em; height: .85em; vertical-align: -.06em; margin-right: .35em; border: 1px solid var(--ink); flex: none }
.share { color: var(--faint); font-variant-numeric: tabular-nums; white-space: nowrap }
.wide { overflow-x: auto }
table { border-collapse: collapse; table-layout: fixed; max-width: 60rem; width: 100% }
td, th { padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: middle }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
th.id { width: 3.2rem }
th.shares { width: 6rem }
th.samples { width: 6.2rem }
td.name div { display: flex; align-items: baseline }
td.name bdi { min-width: 0; overflow-wrap: break-word }
td.bar { padding-right: 0 }
.bar svg { display: block; width: 100%; height: 1em; min-width: 3rem }
dialog { width: 100vw; height: 100vh; height: 100dvh; max-width: none; max-height: none; margin: 0; padding: .7rem; border: 0; color: var(--ink); background: var(--paper) }
dialog[open] { display: flex; flex-direction: column; gap: .6rem }
dialog::backdrop { background: #000a }
.large { position: relative; flex: 1; min-height: 0; background: var(--box) }
.bar-of-buttons { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center }
.bar-of-buttons .key { flex: 1 1 12rem; min-width: 0 }
dialog button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .35rem .8rem; cursor: pointer }
@media (max-width: 600px) {
  td.bar, th.bar { display: none }
  .bar-of-buttons .key { flex-basis: 100% }
  table { font-size: .9rem }
  td, th { padding-right: .4rem }
  th.id { width: 1.9rem }
  th.shares { width: 4.4rem }
  th.samples { width: 4.2rem }
}
)";

const std::string_view kPageScript = R"(
"use strict";
(() => {
  const one = (what, where) => (where || document).querySelector(what);
  const cells = [...document.querySelectorAll(".cell")];
  const plain = (text) => text.normalize("NFC").toLocaleLowerCase();
  const texts = cells.map((cell) => plain([...cell.querySelectorAll(".key, .remark, .problem")].map((part) => part.textContent).join(" ")));
  const text = one("#text"), choice = one("#class"), count = one("#count"), large = one("#large");
  let current = -1;

  const filter = () => {
    const wanted = plain(text.value.trim()), id = choice ? choice.value : "";
    let shown = 0;
    cells.forEach((cell, i) => {
      cell.hidden = !texts[i].includes(wanted) || (id !== "" && !cell.dataset.classes.split(" ").includes(id));
      shown += cell.hidden ? 0 : 1;
    });
    count.textContent = shown + " of " + cells.length + " shown";
  };

  const show = (i) => {
    const cell = cells[i], frame = one(".frame", cell), place = one(".large", large);
    current = i;
    place.className = "large " + frame.className.replace("frame", "");
    place.replaceChildren(...[...frame.querySelectorAll("img")].map((img) => img.cloneNode()));
    one(".key", large).textContent = one(".key", cell).textContent;
    if (!large.open) large.showModal();
  };
  const step = (by) => {
    for (let i = current + by; i >= 0 && i < cells.length; i += by)
      if (!cells[i].hidden && one(".frame", cells[i])) return show(i);
  };

  text.addEventListener("input", filter);
  if (choice) choice.addEventListener("change", filter);
  for (const view of document.querySelectorAll("input[name=view]"))
    view.addEventListener("change", () => { document.body.dataset.view = view.value; });
  cells.forEach((cell, i) => {
    const frame = one(".frame", cell);
    if (frame) frame.addEventListener("click", () => show(i));
  });
  one("#before").addEventListener("click", () => step(-1));
  one("#after").addEventListener("click", () => step(1));
  one("#close").addEventListener("click", () => large.close());
  large.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  });
  large.addEventListener("close", () => {
    const frame = current < 0 ? null : one(".frame", cells[current]);
    if (frame) frame.focus();
  });
  one("#controls").hidden = false;
  filter();
})();
)";

}  // namespace hotpack::preview
