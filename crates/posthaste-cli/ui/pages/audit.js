// Who did what, to how many; and the way back where there is one.
import { html, useEffect, useRef } from "../dom.js";
import { count } from "../data/format.js";
import { usePages } from "../data/pages.js";
import { withStatus } from "../data/selection.js";
import { ChangeButton } from "../parts/button.js";
import { change } from "../parts/change.js";
import { setPaused } from "../parts/pause.js";
import { Empty, ErrorNote, Loading, Time } from "../parts/words.js";

/** @typedef {import("../types").AuditEntry} Entry */

/** What undoes an entry, where something does. @param {{ entry: Entry }} props */
function WayBack({ entry: { action, target } }) {
  if (action === "pause" || action === "resume") return html`<${ChangeButton} tone="small" onClick=${() => setPaused(target, action === "resume")}>${action === "pause" ? "Resume…" : "Pause…"}<//>`;
  if (action === "discard") return html`<${ChangeButton} tone="small" onClick=${() => change({ operation: "replay", query: withStatus(target, "discarded") })}>Replay…<//>`;
  return html`<span class="faint">none</span>`;
}

export function AuditPage() {
  const list = usePages("audit", "entries", "before", {});
  const entries = /** @type {Entry[]} */ (list.rows);
  const end = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (!end.current) return;
    const seen = new IntersectionObserver((found) => found.some((one) => one.isIntersecting) && list.more());
    seen.observe(end.current);
    return () => seen.disconnect();
  }, [entries.length]);
  return html`
    <h1>Audit</h1><${ErrorNote} error=${list.error} />
    ${list.loading && !entries.length && !list.error ? html`<${Loading} lines=${8} />`
      : !entries.length ? html`<${Empty} title="Nobody has changed anything yet" />`
      : html`<div class="scrolls" tabindex="0" role="region" aria-label="Changes"><table class="plain"><thead><tr><th>at</th><th>who</th><th>action</th><th>what</th><th class="number">how many</th><th>way back</th></tr></thead>
        <tbody>${entries.map((entry) => html`<tr key=${entry.number}><td><${Time} at=${entry.at} /></td><td>${entry.who}</td><td>${entry.action}</td><td class="clip" title=${entry.target}>${entry.target}</td><td class="number">${count(entry.affected)}</td><td><${WayBack} entry=${entry} /></td></tr>`)}</tbody></table></div>`}
    <p ref=${end} class="faint foot">${list.complete ? "That is all." : "…"}</p>`;
}
