// Every change begins as a dry run: how many, which keys, what was overtaken, how long. Many of them are a job that anyone can watch and stop.
import { html, useEffect, useRef, useState } from "../dom.js";
import { count, counted, span } from "../data/format.js";
import { MANY, carryOut, estimate, isMany, preview } from "../data/preview.js";
import { jobAt, messagesAt } from "../data/route.js";
import { destinationOf } from "../data/selection.js";
import { useTotal } from "../data/total.js";
import { Dialog, close, open } from "./dialog.js";
import { JobProgress } from "./job.js";
import { Badge, ErrorNote, Loading } from "./words.js";

/** @typedef {import("../data/preview.js").Wanted} Wanted */
/** @typedef {import("../data/preview.js").Preview} Preview */
/** @typedef {import("../data/preview.js").Begun} Begun */

const WORDS = {
  replay: { act: "Replay", will: "will be delivered again", done: "will be delivered again: the workers have them" },
  discard: { act: "Discard", will: "will never be delivered", done: "are discarded" },
};

/** @param {Wanted} wanted */
export const change = (wanted) => open(html`<${ChangeDialog} key=${JSON.stringify(wanted)} wanted=${wanted} />`);

/** @param {{ wanted: Wanted }} props */
function ChangeDialog({ wanted }) {
  const [dry, setDry] = useState(/** @type {Preview | null} */ (null));
  const [begun, setBegun] = useState(/** @type {Begun | null} */ (null));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const words = WORDS[wanted.operation];
  useEffect(() => void preview(wanted).then(setDry, setError), []);
  if (begun) return html`<${Begun} begun=${begun} words=${words} />`;
  return html`
    <${Dialog} title=${`${words.act}: what would happen`}>
      <${ErrorNote} error=${error} />
      ${dry ? html`<${DryRun} dry=${dry} words=${words} begin=${(/** @type {number | null} */ expected) => carryOut(wanted, dry, expected).then(setBegun, setError)} />`
        : error ? html`<footer><button type="button" onClick=${close}>Close</button></footer>` : html`<${Loading} lines=${5} />`}
    <//>`;
}

/** @param {{ begun: Begun, words: typeof WORDS.replay }} props */
function Begun({ begun, words }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => place.current?.querySelector("button")?.focus(), []);
  const foot = html`<footer ref=${place}>${"job" in begun && html`<a class="button quiet" href=${jobAt(begun.job.id)} onClick=${close}>Watch it on its own page</a>`}<button type="button" onClick=${close}>Close</button></footer>`;
  if ("job" in begun) return html`<${Dialog} title=${`${words.act}: a job of the workers`}><${JobProgress} job=${begun.job} /><p class="faint">It goes on when you close this, and anyone can watch and stop it.</p>${foot}<//>`;
  return html`<${Dialog} title=${`${words.act}: done`}><p class="lead" role="status"><strong>${counted(begun.changed, "delivery", "deliveries")}</strong> ${words.done}.</p>${foot}<//>`;
}

/** Counting goes on while one reads, if there are more than a moment allows to look at. @param {{ dry: Preview, words: typeof WORDS.replay, begin: (expected: number | null) => Promise<void> }} props */
function DryRun({ dry, words, begin }) {
  const counted = useTotal(dry.complete ? null : dry.query);
  const whole = dry.complete || (counted?.complete ?? false);
  const total = dry.complete ? dry.affected : Math.max(dry.affected, counted?.count ?? 0);
  return html`<${Report} dry=${dry} words=${words} total=${total} whole=${whole} />
    <${Confirm} dry=${dry} words=${words} total=${total} whole=${whole} begin=${() => begin(whole ? total : null)} />`;
}

/** @param {{ dry: Preview, words: typeof WORDS.replay, total: number, whole: boolean }} props */
const Report = ({ dry, words, total, whole }) => html`
  <p class="lead"><strong>${whole ? "" : "At least "}${counted(total, "delivery", "deliveries")}</strong> of ${dry.complete ? "" : "at least "}${counted(dry.keys, "key")} ${words.will}.</p>
  ${!dry.complete && html`<p class="note">There are more than a moment allows to look at${whole ? "" : ", and counting goes on"}. Keys, order and what was overtaken are those of the first ${count(dry.affected + dry.not_applicable)}.</p>`}
  ${dry.overtaken > 0 && html`<p class="note warn"><strong>${counted(dry.overtaken, "of them was", "of them were")} overtaken</strong>: newer messages of the same key were delivered already, so consumers get these out of order.</p>`}
  <dl class="figures">
    <div class="figure"><dt>order</dt><dd>${dry.overtaken ? "broken for some" : "kept"}</dd></div>
    <div class="figure"><dt>takes about</dt><dd>${span(estimate(dry, total))}</dd></div>
    <div class="figure"><dt>left as they are</dt><dd>${count(dry.not_applicable)}</dd></div>
  </dl>
  <p class="faint selection">Selection <a href=${messagesAt(dry.query)} onClick=${close}><code>${dry.query}</code></a></p>
  ${dry.sample.length > 0 && html`<ul class="sample" aria-label="Some of them" tabindex="0">${dry.sample.map((row) => html`
    <li key=${`${row.id} ${row.destination}`}><${Badge} status=${row.status} /> <span class="mono">${row.key ?? "no key"}</span> <span class="faint">${row.event_type}</span></li>`)}</ul>`}`;

/** @param {{ dry: Preview, words: typeof WORDS.replay, total: number, whole: boolean, begin: () => Promise<void> }} props */
function Confirm({ dry, words, total, whole, begin }) {
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const name = destinationOf(dry.query) ?? "all destinations";
  const asks = isMany(dry);
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
          ${dry.affected === 0 ? "Nothing to do" : `${words.act} ${whole ? count(total) : "all of them"}`}</button></footer>
    </form>`;
}
