// One key: its history in order, since when it is held, and what follows from what one could do.
import { html } from "../dom.js";
import { queryOf } from "../data/lane.js";
import { useLive } from "../data/live.js";
import { useLoaded } from "../data/load.js";
import { address, keyAt, messageAt, messagesAt } from "../data/route.js";
import { quoted } from "../data/selection.js";
import { LanePicture, WhatFollows, useLane } from "../parts/lane.js";
import { Ago, Badge, Empty, ErrorNote, MessageLink, Time } from "../parts/words.js";

/** @typedef {import("../data/lane.js").Lane} Lane */
/** @typedef {import("../types").Listed} Listed */

/** @param {{ lane: Lane }} props */
const Held = ({ lane: { head } }) => (head ? html`
  <div class="why"><h2>Held by <a href=${messageAt(head.id)}>${head.event_type}</a>, which is ${head.status}; it occurred <${Ago} at=${head.occurred_at} />.</h2>
    ${head.error && html`<pre class="error" tabindex="0">${head.error}</pre>`}</div>` : html`<p class="lead">It moves: nothing holds it.</p>`);

/** @param {{ rows: Listed[] }} props */
const History = ({ rows }) => html`
  <div class="scrolls" tabindex="0" role="region" aria-label="Events, in order"><table class="plain"><thead><tr><th>occurred</th><th>event type</th><th>destination</th><th>status</th><th>tries</th><th>error</th><th>id</th></tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${`${row.id} ${row.destination}`}><td><${Time} at=${row.occurred_at} /></td><td>${row.event_type}</td><td>${row.destination ?? "–"}</td>
      <td>${row.status ? html`<${Badge} status=${row.status} />` : "no route"}</td><td>${row.attempts || ""}</td><td class="clip" title=${row.error ?? ""}>${row.error ?? ""}</td><td><${MessageLink} id=${row.id} /></td></tr>`)}</tbody></table></div>`;

/** @param {{ keyName: string, tenant: string | null, destination: string | null }} props */
export function KeyPage({ keyName, tenant, destination }) {
  const names = useLive().now?.destinations.map((one) => one.destination) ?? [];
  const chosen = destination ?? names[0] ?? null;
  const of = keyName && chosen ? { key: keyName, tenant, destination: chosen } : null;
  const shown = useLane(of, null);
  const query = `key:${quoted(keyName)}${tenant ? ` tenant:${quoted(tenant)}` : ""}`;
  const history = useLoaded(keyName ? "deliveries" : null, { query, order: "oldest", limit: 200 }, { everyMs: 5000 });
  const rows = /** @type {{ deliveries: Listed[] } | null} */ (history.data)?.deliveries ?? null;
  return html`
    <p class="crumbs"><a href=${address("messages")}>Messages</a></p><h1 class="mono">${keyName}</h1>
    <p class="ways">${tenant && html`<span class="faint">tenant ${tenant}</span>`}<a href=${messagesAt(of ? queryOf(of) : query)}>All its deliveries</a></p>
    <div class="chips" role="group" aria-label="At which destination">${names.map((name) => html`<a key=${name} class="chip" href=${keyAt(keyName, tenant, name)} aria-current=${name === chosen ? "true" : undefined}>${name}</a>`)}</div>
    <${ErrorNote} error=${history.error} />
    ${rows?.length === 0 ? html`<${Empty} title="No message has this key" />` : html`
      ${shown && html`<${Held} lane=${shown} />`}<${LanePicture} lane=${shown} whole />${shown && html`<${WhatFollows} lane=${shown} />`}
      ${rows && html`<section aria-labelledby="history"><h2 id="history">History</h2><${History} rows=${rows} /></section>`}`}`;
}
