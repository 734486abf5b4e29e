// Who holds what, what has moved, and what endangers the store itself.
import { html } from "../dom.js";
import { count, counted, span } from "../data/format.js";
import { useLoaded } from "../data/load.js";
import { destinationAt } from "../data/route.js";
import { Badge, Command, Empty, ErrorNote, Loading, Time } from "../parts/words.js";

/** @typedef {import("../types").Workers} Workers */

/** Enough to tell neighbours apart; the name is always there too. */
const COLOURS = 8;
/** Moves that are shown; a hand-over of all partitions is 64 of them. */
const SHOWN = 100;
const LEVELS = { good: "running", warn: "retrying", bad: "dead" };
const WORDS = { good: "fine", warn: "watch it", bad: "danger" };

/** @param {Workers} workers @param {string | null} name */
const colourOf = (workers, name) => `hold-${name === null ? "none" : Math.max(0, workers.workers.findIndex((one) => one.worker === name)) % COLOURS}`;

/** @param {{ report: Workers["workers"][0]["report"] }} props */
function Says({ report }) {
  const wrong = report?.destinations.filter((each) => each.outage || each.overfull_lanes) ?? [];
  if (!wrong.length) return html`<span class="faint">${report ? "nothing is wrong" : "nothing yet"}</span>`;
  return wrong.map((each) => html`<span key=${each.name} class="says" title=${each.outage ?? ""}><a href=${destinationAt(each.name)}>${each.name}</a>: ${each.outage ?? counted(each.overfull_lanes, "full lane")} </span>`);
}

/** @param {{ workers: Workers }} props */
const Names = ({ workers }) => html`
  <div class="scrolls" tabindex="0" role="region" aria-label="All workers"><table class="plain"><thead><tr><th>worker</th><th>state</th><th>partitions</th><th class="number">in flight</th><th>says</th></tr></thead>
    <tbody>${workers.workers.map((one) => html`<tr key=${one.worker}><td class="mono"><i class=${`swatch ${colourOf(workers, one.worker)}`} aria-hidden="true"></i>${one.worker}</td>
      <td><${Badge} status=${one.alive ? "running" : "outage"}>${one.alive ? "alive" : "gone"}<//></td>
      <td><progress class="share" max=${workers.partitions.length} value=${one.partitions} aria-label=${`Share of ${one.worker}`}></progress> ${one.partitions} of ${workers.partitions.length}</td>
      <td class="number">${count(one.report?.destinations.reduce((sum, each) => sum + each.in_flight, 0))}</td>
      <td class="clip"><${Says} report=${one.report} /></td></tr>`)}</tbody></table></div>`;

/** @param {Workers["partitions"][0]} one */
function leaseOf({ worker, epoch, expires_in_seconds: left }) {
  if (worker === null || left === null) return `nobody, epoch ${epoch}`;
  return `${worker}, epoch ${epoch}, ${left < 0 ? `its lease ended ${span(-left)} ago` : `its lease lasts ${span(left)}`}`;
}

/** @param {{ workers: Workers }} props */
const Partitions = ({ workers }) => html`
  <ol class="partitions" aria-label="Partitions, with who holds each of them">${workers.partitions.map((one) => html`
    <li key=${one.partition} class=${colourOf(workers, one.expires_in_seconds === null ? null : one.worker)} title=${`partition ${one.partition}: ${leaseOf(one)}`}>
      <b>${one.partition}</b><small aria-hidden="true">${one.epoch}</small><span class="unseen">: ${leaseOf(one)}</span></li>`)}</ol>`;

/** @param {{ workers: Workers }} props */
function Leases({ workers }) {
  const unheld = workers.partitions.filter((one) => one.worker === null || one.expires_in_seconds === null).length;
  const left = workers.partitions.flatMap((one) => one.expires_in_seconds ?? []);
  return html`<section aria-labelledby="partitions"><h2 id="partitions">Partitions</h2>
    <p>${unheld ? html`<strong class="tone-bad">${counted(unheld, "partition is", "partitions are")} held by nobody.</strong>` : `All ${workers.partitions.length} partitions are held.`}
      <span class="faint"> Below each number is its epoch: how often it was given out.${left.length ? ` The shortest lease lasts ${span(Math.max(0, Math.min(...left)))}.` : ""}</span></p>
    <${Partitions} workers=${workers} /></section>`;
}

/** @param {{ workers: Workers }} props */
const Dangers = ({ workers }) => html`
  <section aria-labelledby="dangers"><h2 id="dangers">The store’s own dangers</h2>
    <ul class="dangers">${workers.dangers.map((one) => html`<li key=${one.name}><${Badge} status=${LEVELS[one.level]}>${WORDS[one.level]}<//><p><strong>${one.name.replace(/_(seconds|bytes)$/, "").replaceAll("_", " ")}</strong> <span class="faint">${one.text}</span></p></li>`)}</ul></section>`;

/** @param {{ workers: Workers }} props */
const Moves = ({ workers }) => html`
  <section aria-labelledby="moves"><h2 id="moves">Moves</h2>${workers.moves.length ? html`
    <div class="scrolls low" tabindex="0" role="region" aria-label="Moves of partitions"><table class="plain"><thead><tr><th>at</th><th class="number">partition</th><th>from</th><th>to</th><th class="number">epoch</th></tr></thead>
      <tbody>${workers.moves.slice(0, SHOWN).map((one) => html`<tr key=${`${one.partition} ${one.epoch} ${one.to}`}><td><${Time} at=${one.at} /></td><td class="number">${one.partition}</td><td class="mono">${one.from ?? "nobody"}</td><td class="mono">${one.to ?? "nobody"}</td><td class="number">${one.epoch}</td></tr>`)}</tbody></table></div>`
    : html`<p class="faint">No partition has changed hands since this process began to look.</p>`}</section>`;

export function WorkersPage() {
  const loaded = useLoaded("workers", {}, { everyMs: 2000 });
  const workers = /** @type {Workers | null} */ (loaded.data);
  if (!workers) return html`<h1>Workers and partitions</h1>${loaded.error ? html`<${ErrorNote} error=${loaded.error} />` : html`<${Loading} lines=${8} />`}`;
  return html`
    <h1>Workers and partitions</h1><${ErrorNote} error=${loaded.error} />
    ${workers.workers.length ? html`<${Names} workers=${workers} />` : html`<${Empty} title="No worker has been seen"><p>Start one:</p><${Command} command="posthaste run" /><//>`}
    <${Leases} workers=${workers} />${workers.dangers.length > 0 && html`<${Dangers} workers=${workers} />`}<${Moves} workers=${workers} />`;
}
