"use strict";
// Theme, keys and selects; every page works without this.
const root = document.documentElement;
const keep = (theme) => { try { localStorage.setItem("theme", theme); } catch { /* private window */ } };
try { const kept = localStorage.getItem("theme"); if (kept) root.dataset.theme = kept; } catch { /* private window */ }

const button = document.querySelector("[data-theme-switch]");
button.hidden = false;
button.addEventListener("click", () => {
  const shown = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.dataset.theme = shown === "dark" ? "light" : "dark";
  keep(root.dataset.theme);
});
for (const select of document.querySelectorAll("select[data-now]")) {
  select.addEventListener("change", () => select.form.requestSubmit());
}

const PLACES = { m: "/", s: "/stored", t: "/touches", d: "/status" };
const links = () => [...document.querySelectorAll("[data-list] a")];
function step(by) {
  const all = links();
  const at = all.indexOf(document.activeElement);
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by))];
  if (next) next.focus();
}
addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea, dialog") || event.metaKey || event.ctrlKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    const box = document.querySelector("input[type=search]");
    if (box) box.focus(); else location.href = root.dataset.base + "/stored";
  } else if (event.key === "?") document.getElementById("keys").showModal();
  else if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (PLACES[event.key]) location.href = root.dataset.base + PLACES[event.key];
});
