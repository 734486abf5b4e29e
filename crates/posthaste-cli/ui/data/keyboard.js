// Keys for everything. A page binds its own while it is shown; `?` lists those that are bound.
import { useEffect, useRef } from "../dom.js";
import { Observable } from "./observable.js";

/** @typedef {{ keys: string, does: string, act: () => void, hidden?: boolean }} Binding */

/** @type {Observable<Binding[]>} */
export const bindings = new Observable(/** @type {Binding[]} */ ([]));
/** How long the second key of two may take. */
const PAUSE_MS = 1500;

let before = "";
let beforeAt = 0;

/** Whether keys are text for a field. @param {EventTarget | null} target */
const isTyping = (target) =>
  target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));

/** @param {KeyboardEvent} event */
function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const both = performance.now() - beforeAt < PAUSE_MS ? `${before} ${event.key}` : "";
  const find = (/** @type {string} */ keys) => bindings.value.findLast((binding) => binding.keys === keys);
  const found = (both && find(both)) || find(event.key);
  [before, beforeAt] = [event.key, performance.now()];
  if (!found) return;
  before = "";
  event.preventDefault();
  found.act();
}

export const listen = () => document.addEventListener("keydown", pressed);

/**
 * Binds keys while the caller is shown. What is bound last comes first.
 * @param {Binding[]} wanted
 */
export function useKeys(wanted) {
  const newest = useRef(wanted);
  newest.current = wanted;
  const names = wanted.map((binding) => binding.keys).join(",");
  useEffect(() => {
    const mine = newest.current.map((binding, n) => ({ ...binding, act: () => newest.current[n]?.act() }));
    bindings.set([...bindings.value, ...mine]);
    return () => bindings.set(bindings.value.filter((binding) => !mine.includes(binding)));
  }, [names]);
}
