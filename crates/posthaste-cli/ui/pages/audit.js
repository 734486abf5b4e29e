// Who did what, to how many; and the way back where there is one.
import { html } from "../dom.js";
import { count } from "../data/format.js";
import { usePages } from "../data/pages.js";
import { address, destinationAt, jobAt, messagesAt } from "../data/route.js";
import { ChangeButton } from "../parts/button.js";
import { change } from "../parts/change.js";
import { More } from "../parts/more.js";
import { setPaused } from "../parts/pause.js";
import { Empty, ErrorNote, Loading, Time } from "../parts/words.js";

/** @typedef {import("../types").AuditEntry} Entry */

/** What undoes an entry, where something does. @param {{ entry: Entry }} props */
function WayBack({ entry: { undo } }) {
  if (undo?.query) return html`<${ChangeButton} tone="small" onClick=${() => change({ operation: "replay", query: undo.query ?? "" })}>Replay…<//>`;
  if (undo?.destination) return html`<${ChangeButton} tone="small" onClick=${() => setPaused(undo.destination ?? "", undo.action === "pause")}>${undo.action === "pause" ? "Pause…" : "Resume…"}<//>`;
  return html`<span class="faint">none</span>`;
}

/** Where what was changed can be looked at. @param {Entry} entry */
function placeOf({ action, target }) {
  const job = /^(?:job )?(\d+)\b/.exec(target);
  if (job && (action === "job" || action === "stop")) return jobAt(Number(job[1]));
  if (action === "pause" || action === "resume") return destinationAt(target);
  return ["replay", "discard", "payload", "try"].includes(action) ? messagesAt(target) : null;
}

/** @param {{ entry: Entry }} props */
function Target({ entry }) {
  const to = placeOf(entry);
  return to ? html`<a href=${to}>${entry.target}</a>` : entry.target;
}

export function AuditPage() {
  const list = usePages("audit", "entries", "before", {});
  const entries = /** @type {Entry[]} */ (list.rows);
  return html`
    <div class="title"><h1>Audit</h1><span class="spring"></span><a href=${address("jobs")}>All jobs</a></div><${ErrorNote} error=${list.error} />
    ${list.loading && !entries.length && !list.error ? html`<${Loading} lines=${8} />`
      : !entries.length ? html`<${Empty} title="Nobody has changed anything yet" />`
      : html`<div class="scrolls" tabindex="0" role="region" aria-label="Changes"><table class="plain"><thead><tr><th>at</th><th>who</th><th>action</th><th>what</th><th class="number">how many</th><th>way back</th></tr></thead>
        <tbody>${entries.map((entry) => html`<tr key=${entry.number}><td><${Time} at=${entry.at} /></td><td>${entry.who}</td><td>${entry.action}</td><td class="clip" title=${entry.target}><${Target} entry=${entry} /></td><td class="number">${entry.affected ? count(entry.affected) : ""}</td><td><${WayBack} entry=${entry} /></td></tr>`)}</tbody></table></div>`}
    <${More} list=${list} />`;
}
