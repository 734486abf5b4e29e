// Light or dark: as the system says, unless somebody chose.
import { Observable } from "./observable.js";

/** @typedef {"auto" | "light" | "dark"} Theme */
const KEPT = "posthaste.theme";
/** @type {Theme[]} */
const ALL = ["auto", "light", "dark"];

function kept() {
  const found = ALL.find((one) => one === localStorage.getItem(KEPT));
  return found ?? "auto";
}

/** @type {Observable<Theme>} */
export const theme = new Observable(/** @type {Theme} */ ("auto"));

/** @param {Theme} chosen */
function apply(chosen) {
  document.documentElement.dataset.theme = chosen;
  theme.set(chosen);
}

export const listen = () => apply(kept());

/** The next of the three. */
export function turn() {
  const next = ALL[(ALL.indexOf(theme.value) + 1) % ALL.length] ?? "auto";
  localStorage.setItem(KEPT, next);
  apply(next);
}

/** Whether it is dark now, for what is drawn and not styled. */
export const isDark = () => (theme.value === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : theme.value === "dark");
