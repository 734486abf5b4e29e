// What fails, grouped by cause: one group, one decision.
import { html } from "../dom.js";
import { count, counted, span } from "../data/format.js";
import { useLive } from "../data/live.js";
import { useLoaded } from "../data/load.js";
import { address, destinationAt, messageAt, messagesAt } from "../data/route.js";
import { ChangeButton } from "../parts/button.js";
import { change } from "../parts/change.js";
import { Bars } from "../parts/spark.js";
import { Ago, Badge, Empty, ErrorNote, Loading } from "../parts/words.js";

/** @typedef {import("../types").FailureGroup} Group */
/** @typedef {import("../types").Failures} Failures */

/** @param {{ group: Group, step: number }} props */
const GroupCard = ({ group, step }) => html`
  <li class=${`group is-${group.status}`}>
    <div class="much"><strong>${count(group.count)}</strong><span class="faint">${counted(group.keys, "key")}</span></div>
    <div class="what">
      <p><${Badge} status=${group.status} /> <a href=${destinationAt(group.destination)}>${group.destination}</a> <span class="faint">first <${Ago} at=${group.first_seen} />, last <${Ago} at=${group.last_seen} /></span></p>
      <pre class="error" tabindex="0">${group.error}</pre>
      ${group.sample && html`<p class="faint">For example <a href=${messageAt(group.sample.id)}>${group.sample.event_type} ${group.sample.key ?? ""}</a>${group.sample.error && group.sample.error !== group.error ? html`: <q>${group.sample.error.slice(0, 200)}</q>` : null}</p>`}
    </div>
    <div class="trend"><${Bars} points=${group.trend} label=${`${count(group.count)} failures, ${span(step)} a bar`} /></div>
    <div class="acts"><${ChangeButton} tone="primary small" onClick=${() => change({ operation: "replay", query: group.query })}>Replay…<//>
      <${ChangeButton} tone="small" onClick=${() => change({ operation: "discard", query: group.query })}>Discard…<//>
      <a class="button quiet small" href=${messagesAt(group.query)}>Show them</a></div>
  </li>`;

/** @param {{ destination: string }} props */
export function FailuresPage({ destination }) {
  const { now } = useLive();
  const loaded = useLoaded("failures", { destination }, { everyMs: 5000 });
  const failures = /** @type {Failures | null} */ (loaded.data);
  const names = now?.destinations.map((one) => one.destination) ?? [];
  return html`
    <h1>Failures</h1>
    <div class="chips" role="group" aria-label="Only one destination"><a class="chip" href=${address("failures")} aria-current=${destination ? undefined : "true"}>all</a>
      ${names.map((name) => html`<a key=${name} class="chip" href=${address("failures", "", { destination: name })} aria-current=${name === destination ? "true" : undefined}>${name}</a>`)}</div>
    <${ErrorNote} error=${loaded.error} />
    ${!failures ? !loaded.error && html`<${Loading} lines=${8} />`
      : failures.groups.length === 0 ? html`<${Empty} title="Nothing fails"><p class="faint">No delivery is dead or retrying.</p><//>`
      : html`<ul class="groups">${failures.groups.map((group) => html`<${GroupCard} key=${`${group.destination} ${group.status} ${group.error}`} group=${group} step=${failures.trend_step_seconds} />`)}</ul>
        ${!failures.complete && html`<p class="note">There are more failures than the ${count(failures.examined)} newest, which were looked at; the numbers are of those.</p>`}`}`;
}
