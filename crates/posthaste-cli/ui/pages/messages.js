// Any number of deliveries, chosen by one line that stands in the address too.
import { classes, html, useEffect, useState } from "../dom.js";
import { about, count, secondsSince, short, span } from "../data/format.js";
import { useKeys } from "../data/keyboard.js";
import { useLoaded } from "../data/load.js";
import { usePages } from "../data/pages.js";
import { address, go, keyAt, messageAt } from "../data/route.js";
import { withStatus } from "../data/selection.js";
import { useTotal } from "../data/total.js";
import { ChangeButton } from "../parts/button.js";
import { change } from "../parts/change.js";
import { Endless } from "../parts/endless.js";
import { QueryLine } from "../parts/query_line.js";
import { Badge, Copy, Empty, ErrorNote, Loading, Time } from "../parts/words.js";

/** @typedef {import("../types").Listed} Listed */

const STATUSES = ["dead", "retrying", "waiting", "pending", "scheduled", "throttled", "paused", "awaiting", "delivered", "discarded"];
const COLUMNS = ["status", "occurred", "event type", "key", "destination", "attempts", "error", "id"];

/** @param {{ row: Listed, n: number, selected: boolean }} props */
const Row = ({ row, n, selected }) => html`
  <div role="row" class=${classes("row", selected && "selected")} aria-rowindex=${n + 2} aria-selected=${selected ? "true" : "false"}>
    <span role="cell" class="c-status">${row.status ? html`<${Badge} status=${row.status} />` : html`<span class="faint">no route</span>`}</span>
    <span role="cell" class="c-time"><${Time} at=${row.occurred_at} /></span>
    <span role="cell" class="c-type"><a href=${messageAt(row.id)} title=${row.event_type}>${row.event_type}</a></span>
    <span role="cell" class="c-key mono">${row.key ? html`<a href=${keyAt(row.key, row.tenant, row.destination)} title=${row.key}>${row.key}</a>` : html`<span class="faint">no key</span>`}</span>
    <span role="cell" class="c-to" title=${row.destination ?? ""}>${row.destination ?? "–"}</span>
    <span role="cell" class="c-attempts">${row.attempts || ""}</span>
    <span role="cell" class="c-error" title=${row.error ?? ""}>${row.error ?? (row.due_at && secondsSince(row.due_at) < 0 ? `due in ${span(-secondsSince(row.due_at))}` : "")}</span>
    <span role="cell" class="c-id mono"><a href=${messageAt(row.id)} title=${row.id}>${short(row.id)}</a></span>
  </div>`;

/** @param {{ query: string, total: { count: number, complete: boolean, estimated: boolean } | null, newest: boolean }} props */
function Tools({ query, total, newest }) {
  const { data: read } = useLoaded("query", { query: query || " ", for: "list" });
  const shown = (/** @type {string} */ status) => query.includes(`status:${status}`);
  return html`<div class="tools">
    <div class="chips" role="group" aria-label="Only one status">${STATUSES.map((status) => html`<a key=${status} class="chip" aria-current=${shown(status) ? "true" : undefined}
      href=${address("messages", "", { q: withStatus(query, shown(status) ? null : status), order: newest ? "" : "oldest" })}>${status}</a>`)}</div>
    <div class="acts"><p class="total" role="status">${total ? html`<strong>${about(count(total.count), total.estimated)}</strong>${total.complete ? "" : "…"} ${total.count === 1 ? "delivery" : "deliveries"}` : "counting…"}</p>
      <a class="button quiet small" href=${address("messages", "", { q: query, order: newest ? "oldest" : "" })} title="Turn round">${newest ? "Newest first" : "Oldest first"}</a>
      <${Copy} text=${/** @type {any} */ (read)?.command ?? "posthaste list"} label="Copy as command" />
      ${query && html`<${ChangeButton} tone="small" onClick=${() => change({ operation: "replay", query })}>Replay all…<//>
        <${ChangeButton} tone="small" onClick=${() => change({ operation: "discard", query })}>Discard all…<//>`}</div>
  </div>`;
}

/** @param {{ query: string, newest: boolean }} props */
export function MessagesPage({ query, newest }) {
  const [selected, setSelected] = useState(-1);
  const order = newest ? "newest" : "oldest";
  /** @type {Record<string, string>} */
  const asked = query ? { query, order } : { order };
  const list = usePages("deliveries", "deliveries", "after", asked);
  const rows = /** @type {Listed[]} */ (list.rows);
  const total = useTotal(query);
  useEffect(() => setSelected(-1), [query, newest]);
  const at = rows[selected];
  useKeys([
    { keys: "j", does: "next row", act: () => setSelected((n) => Math.min(rows.length - 1, n + 1)) },
    { keys: "k", does: "row before", act: () => setSelected((n) => Math.max(0, n - 1)) },
    { keys: "Enter", does: "open the row", act: () => at && go(messageAt(at.id)) },
    { keys: "r", does: "replay the row", act: () => at && change({ operation: "replay", query: `id:${at.id}${at.destination ? ` destination:${at.destination}` : ""}` }) },
    { keys: "x", does: "discard the row", act: () => at && change({ operation: "discard", query: `id:${at.id}${at.destination ? ` destination:${at.destination}` : ""}` }) },
  ]);
  return html`
    <h1>Messages</h1>
    <${QueryLine} query=${query} problem=${list.error?.message ?? null} onQuery=${(/** @type {string} */ q) => go(address("messages", "", { q, order: newest ? "" : "oldest" }))} />
    <${Tools} query=${query} total=${total} newest=${newest} />
    ${list.error && !rows.length ? html`<${ErrorNote} error=${list.error} />`
      : list.loading && !rows.length ? html`<${Loading} lines=${10} />`
      : !rows.length ? html`<${Empty} title="Nothing matches"><p class="faint">Delivered messages are removed after a while; see <code>retention</code> in the config.</p><//>`
      : html`<div role="table" class="table" aria-label="Deliveries" aria-rowcount=${list.complete ? rows.length + 1 : -1}>
          <div role="rowgroup"><div role="row" class="row head">${COLUMNS.map((name) => html`<span role="columnheader" key=${name} class=${`c-${{ occurred: "time", "event type": "type", destination: "to" }[name] ?? name}`}>${name}</span>`)}</div></div>
          <${Endless} rows=${rows} more=${list.more} selected=${selected} label="Deliveries" draw=${(/** @type {Listed} */ row, /** @type {number} */ n) => html`<${Row} key=${n} row=${row} n=${n} selected=${n === selected} />`} />
        </div><p class="faint foot">${list.complete ? "That is all." : "More come while you scroll."}</p>`}`;
}
