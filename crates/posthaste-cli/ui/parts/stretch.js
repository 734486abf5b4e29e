// A stretch of time, chosen on a chart or typed, becomes a replay.
import { html } from "../dom.js";
import { ChangeButton } from "./button.js";
import { change } from "./change.js";

/** @typedef {import("./chart.js").Stretch} Stretch */

/** As a field for local times wants it. @param {number} seconds */
function local(seconds) {
  const date = new Date(seconds * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** @param {number} seconds */
const iso = (seconds) => new Date(Math.floor(seconds) * 1000).toISOString().replace(".000", "");

/** @param {{ destination: string, stretch: Stretch, onStretch: (stretch: Stretch) => void }} props */
export function StretchForm({ destination, stretch, onStretch }) {
  const query = `destination:${destination} since:${iso(stretch.from)} before:${iso(Math.ceil(stretch.to))}`;
  const at = (/** @type {any} */ event) => new Date(event.target.value).getTime() / 1000;
  const set = (/** @type {Partial<Stretch>} */ changes) => Object.values(changes).every(Number.isFinite) && onStretch({ ...stretch, ...changes });
  return html`<form class="stretch" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
    <span>What occurred</span>
    <label>from <input type="datetime-local" step="1" value=${local(stretch.from)} onChange=${(/** @type {any} */ event) => set({ from: at(event) })} /></label>
    <label>to <input type="datetime-local" step="1" value=${local(stretch.to)} onChange=${(/** @type {any} */ event) => set({ to: at(event) })} /></label>
    <${ChangeButton} onClick=${() => change({ operation: "replay", query })} title=${query}>Replay this stretch…<//>
    <span class="faint">Drag over a chart to choose.</span>
  </form>`;
}
