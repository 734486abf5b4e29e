// Who delivers, what each of them says, and what the store itself has to watch.
import { html } from "../dom.js";
import { counted } from "../data/format.js";
import { useLoaded } from "../data/load.js";
import { Badge, Empty, ErrorNote, Figure, Loading } from "../parts/words.js";

/** @typedef {import("../types").Status} Status */

/** @param {{ status: Status }} props */
const Names = ({ status }) => html`
  <div class="scrolls" tabindex="0" role="region" aria-label="All workers"><table class="plain"><thead><tr><th>worker</th><th>state</th><th>partitions</th><th>in flight</th><th>says</th></tr></thead>
    <tbody>${status.workers.map((one) => html`<tr key=${one.worker}><td class="mono">${one.worker}</td>
      <td><${Badge} status=${one.alive ? "running" : "outage"}>${one.alive ? "alive" : "gone"}<//></td>
      <td><progress class="share" max=${status.partitions} value=${one.partitions} aria-label=${`Share of ${one.worker}`}></progress> ${one.partitions} of ${status.partitions}</td>
      <td>${one.report?.destinations.reduce((sum, each) => sum + each.in_flight, 0) ?? "–"}</td>
      <td>${one.report?.destinations.filter((each) => each.outage).map((each) => `${each.name}: ${each.outage}`).join("; ") || "nothing is wrong"}</td></tr>`)}</tbody></table></div>`;

/** What only this kind of store has, such as its oldest transaction or the size of its log. @param {{ status: Status }} props */
const Figures = ({ status }) => html`
  <dl class="figures wide">${status.figures.map((one) => html`<${Figure} key=${one.name} name=${one.name.replaceAll("_", " ")} value=${Math.round(one.value * 10) / 10} />`)}</dl>`;

export function WorkersPage() {
  const loaded = useLoaded("status", {}, { everyMs: 2000 });
  const status = /** @type {Status | null} */ (loaded.data);
  if (!status) return html`<h1>Workers and partitions</h1>${loaded.error ? html`<${ErrorNote} error=${loaded.error} />` : html`<${Loading} lines=${8} />`}`;
  const unheld = status.unheld_partitions;
  return html`
    <h1>Workers and partitions</h1>
    ${status.workers.length ? html`<${Names} status=${status} />` : html`<${Empty} title="No worker has been seen"><p>Start one: <code>posthaste run</code></p><//>`}
    <p>${unheld ? html`<strong class="tone-bad">${counted(unheld, "partition is", "partitions are")} held by nobody.</strong>` : `All ${status.partitions} partitions are held.`}</p>
    ${status.figures.length > 0 && html`<section aria-labelledby="figures"><h2 id="figures">What the store itself has to watch</h2><${Figures} status=${status} /></section>`}`;
}
