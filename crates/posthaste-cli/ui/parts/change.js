// Every change begins as a dry run: how many, which keys, what was overtaken, how long.
import { html, useEffect, useRef, useState } from "../dom.js";
import { count, counted, span } from "../data/format.js";
import { carryOut, preview } from "../data/preview.js";
import { messagesAt } from "../data/route.js";
import { Dialog, close, open } from "./dialog.js";
import { Badge, ErrorNote, Loading } from "./words.js";

/** @typedef {import("../data/preview.js").Wanted} Wanted */
/** @typedef {import("../data/preview.js").Preview} Preview */

/** More than this asks for the destination's name. */
const MANY = 1000;
const WORDS = {
  replay: { act: "Replay", will: "will be delivered again", done: "will be delivered again: the workers have them" },
  discard: { act: "Discard", will: "will never be delivered", done: "are discarded" },
};

/** @param {Wanted} wanted */
export const change = (wanted) => open(html`<${ChangeDialog} key=${JSON.stringify(wanted)} wanted=${wanted} />`);

/** @param {{ wanted: Wanted }} props */
function ChangeDialog({ wanted }) {
  const [dry, setDry] = useState(/** @type {Preview | null} */ (null));
  const [done, setDone] = useState(/** @type {number | null} */ (null));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const words = WORDS[wanted.operation];
  useEffect(() => void preview(wanted).then(setDry, setError), []);
  const begin = () => carryOut(wanted, dry?.affected ?? 0).then(setDone, setError);
  return html`
    <${Dialog} title=${done === null ? `${words.act}: what would happen` : `${words.act}: done`}>
      <${ErrorNote} error=${error} />
      ${done !== null ? html`<p class="lead" role="status"><strong>${counted(done, "delivery", "deliveries")}</strong> ${words.done}.</p><footer><button type="button" onClick=${close} autofocus>Close</button></footer>`
        : dry ? html`<${Report} dry=${dry} words=${words} query=${wanted.query} /><${Confirm} dry=${dry} words=${words} begin=${begin} />`
        : error ? html`<footer><button type="button" onClick=${close}>Close</button></footer>` : html`<${Loading} lines=${5} />`}
    <//>`;
}

/** @param {{ dry: Preview, words: typeof WORDS.replay, query: string }} props */
const Report = ({ dry, words, query }) => html`
  <p class="lead"><strong>${counted(dry.affected, "delivery", "deliveries")}</strong> of ${dry.allKeys ? "" : "at least "}${counted(dry.keys, "key")} ${words.will}.</p>
  ${dry.overtaken > 0 && html`<p class="note warn"><strong>${counted(dry.overtaken, "of them was", "of them were")} overtaken</strong>: newer messages of the same key were delivered already, so consumers get these out of order.</p>`}
  <dl class="figures">
    <div class="figure"><dt>order</dt><dd>${dry.overtaken ? "broken for some" : "kept"}</dd></div>
    <div class="figure"><dt>takes about</dt><dd>${words === WORDS.discard ? "no time" : dry.seconds === null ? "not known" : span(dry.seconds)}</dd></div>
    <div class="figure"><dt>left as they are</dt><dd>${count(dry.notApplicable)}</dd></div>
  </dl>
  <p class="faint selection">Selection <a href=${messagesAt(query)} onClick=${close}><code>${query}</code></a></p>
  ${dry.sample.length > 0 && html`<ul class="sample" aria-label="Some of them" tabindex="0">${dry.sample.map((row) => html`
    <li key=${`${row.id} ${row.destination}`}><${Badge} status=${row.status} /> <span class="mono">${row.key ?? "no key"}</span> <span class="faint">${row.event_type}</span></li>`)}</ul>`}`;

/** @param {{ dry: Preview, words: typeof WORDS.replay, begin: () => Promise<void> }} props */
function Confirm({ dry, words, begin }) {
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const name = dry.destinations.length === 1 ? dry.destinations[0] : "all destinations";
  const asks = dry.affected > MANY;
  const may = dry.affected > 0 && !busy && (!asks || typed.trim() === name);
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  useEffect(() => {
    const find = (/** @type {string} */ what) => form.current?.querySelector(what);
    const first = find("input") ?? find("button[type=submit]:enabled") ?? find("button");
    if (first instanceof HTMLElement) first.focus();
  }, []);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!may) return;
    setBusy(true);
    void begin().finally(() => setBusy(false));
  };
  return html`
    <form ref=${form} onSubmit=${submit}>
      ${asks && html`<label class="field"><span>More than ${count(MANY)}: type <strong>${name}</strong> to go on</span>
        <input value=${typed} autocomplete="off" spellcheck=${false} onInput=${(/** @type {any} */ event) => setTyped(event.target.value)} /></label>`}
      <footer><button type="button" onClick=${close}>Cancel</button>
        <button type="submit" class=${words === WORDS.discard ? "danger" : "primary"} disabled=${!may}>
          ${dry.affected === 0 ? "Nothing to do" : `${words.act} ${count(dry.affected)}`}</button></footer>
    </form>`;
}
