// A key drawn as a lane, and what follows from what one could do about its head.
import { classes, html, useEffect, useState } from "../dom.js";
import { counted } from "../data/format.js";
import { lane } from "../data/lane.js";
import { useLive } from "../data/live.js";
import { keyAt, messageAt } from "../data/route.js";
import { change } from "./change.js";
import { ChangeButton } from "./button.js";
import { Badge, Loading, Time } from "./words.js";

/** @typedef {import("../data/lane.js").Lane} Lane */
/** @typedef {import("../types").Listed} Listed */

/** Every few seconds; the live state ticks once a second. */
const EVERY = 3;

/**
 * The lane of a key, fetched again every few seconds.
 * @param {{ key: string, tenant: string | null, destination: string } | null} of
 * @param {Listed | null} own
 */
export function useLane(of, own) {
  const [found, setFound] = useState(/** @type {Lane | null} */ (null));
  const [tick, setTick] = useState(0);
  const { received } = useLive();
  useEffect(() => setTick((n) => n + 1), [received]);
  useEffect(() => {
    let gone = false;
    if (of) lane(of, own).then((next) => gone || setFound(next), () => undefined);
    return () => void (gone = true);
  }, [JSON.stringify(of), own?.id, own?.status, Math.floor(tick / EVERY)]);
  return of && found?.key === of.key && found.destination === of.destination ? found : null;
}

/** @param {{ row: Listed, own: boolean, head: boolean }} props */
const Stop = ({ row, own, head }) => html`
  <li class=${classes("stop", `is-${row.status}`, own && "own", head && "head")} aria-current=${own ? "true" : undefined}>
    <a href=${messageAt(row.id)}><span class="stop-type">${row.event_type}</span><${Badge} status=${row.status ?? "pending"} /><small><${Time} at=${row.occurred_at} /></small>
      ${head && html`<small class="holds">holds the key</small>`}${own && html`<small class="holds">this one</small>`}</a></li>`;

/** @param {{ lane: Lane | null, own?: string, whole?: boolean }} props */
export function LanePicture({ lane: shown, own, whole = false }) {
  if (!shown) return html`<${Loading} lines=${3} />`;
  return html`
    <p class="lane-title">Key <a class="mono" href=${keyAt(shown.key, shown.tenant, shown.destination)}>${shown.key}</a> at ${shown.destination}:
      ${shown.head ? html` <strong class="tone-bad">held</strong>` : " moving"}</p>
    <ol class=${classes("lane", whole && "whole")} tabindex="0" aria-label=${`Messages of key ${shown.key} in order`}>
      ${shown.moreBefore && html`<li class="stop more">earlier ones</li>`}
      ${shown.rows.map((row) => html`<${Stop} key=${row.id} row=${row} own=${row.id === own} head=${row.id === shown.head?.id} />`)}
      ${shown.moreBehind && html`<li class="stop more">more behind</li>`}
    </ol>`;
}

/** @param {{ lane: Lane }} props */
export function WhatFollows({ lane: shown }) {
  if (!shown.head) return null;
  const query = `id:${shown.head.id} destination:${shown.destination}`;
  const behind = `${shown.moreBehind ? "at least " : ""}${counted(shown.behind, "message", "messages")} behind it`;
  return html`<div class="follows">
    <div><h3>If its head is replayed</h3><p>${shown.head.event_type} is tried again at once. When it is delivered, ${behind} follow, in order.</p><${ChangeButton} tone="primary" onClick=${() => change({ operation: "replay", query })}>Replay…<//></div>
    <div><h3>If its head is discarded</h3><p>${shown.head.event_type} is never delivered there. ${behind} follow at once, in order; consumers miss one event.</p><${ChangeButton} tone="danger" onClick=${() => change({ operation: "discard", query })}>Discard…<//></div>
  </div>`;
}
