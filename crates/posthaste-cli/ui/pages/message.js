// One message: why it is where it is, its key as a lane, a column for each destination, and what it carries.
import { classes, html, useState } from "../dom.js";
import { useKeys } from "../data/keyboard.js";
import { useLoaded } from "../data/load.js";
import { address, destinationAt, keyAt } from "../data/route.js";
import { positionText } from "../data/selection.js";
import { ChangeButton } from "../parts/button.js";
import { change } from "../parts/change.js";
import { LanePicture, useLane } from "../parts/lane.js";
import { milliseconds } from "../data/format.js";
import { Ago, Badge, Command, Copy, Empty, ErrorNote, Loading, Time } from "../parts/words.js";
import { Content } from "./message_content.js";

/** @typedef {import("../types").Message} Message */
/** @typedef {import("../types").Delivery} Delivery */
/** @typedef {import("../types").Explanation} Explanation */

/** @param {{ explanation: Explanation, alone: boolean }} props */
const Why = ({ explanation, alone }) => html`
  <div class="why"><h2>${!alone && explanation.destination ? html`<span class="faint">${explanation.destination}: </span>` : null}${explanation.summary}</h2>
    ${explanation.because.map((text, n) => html`<p key=${n} class="because">${text}</p>`)}
    ${explanation.remedies.map((remedy) => html`<p key=${remedy.command} class="ways"><${Command} command=${remedy.command} /><span class="faint">${remedy.does}</span></p>`)}</div>`;

/** @param {{ attempt: import("../types").Attempt }} props */
const AttemptLine = ({ attempt }) => html`
  <li class=${attempt.error ? "failed" : "succeeded"}><p><strong>${attempt.error ? `Attempt ${attempt.number} failed` : "Delivered"}</strong> <${Time} at=${attempt.at} /> <span class="faint">after ${milliseconds(attempt.took_ms)}, by ${attempt.worker}</span></p>
    ${attempt.error && html`<pre class="error" tabindex="0">${attempt.error}</pre>`}${attempt.reply && html`<pre class="reply" tabindex="0">${attempt.reply}</pre>`}</li>`;

/** @param {{ delivery: Delivery, id: string }} props */
function Column({ delivery, id }) {
  const query = `id:${id} destination:${delivery.destination}`;
  return html`<article class=${classes("column", `is-${delivery.status}`)}>
    <header><h3><a href=${destinationAt(delivery.destination)}>${delivery.destination}</a></h3><${Badge} status=${delivery.status} />${delivery.paused && html`<${Badge} status="paused" />`}</header>
    <p class="faint">${delivery.attempts ? `${delivery.attempts} failed so far` : "no failed attempt"}${delivery.due_at ? html`, next <${Ago} at=${delivery.due_at} />` : null}${delivery.ahead ? `, ${delivery.ahead} before it` : ""}</p>
    <ol class="attempts">${delivery.timeline.map((attempt, n) => html`<${AttemptLine} key=${n} attempt=${attempt} />`)}</ol>
    ${delivery.error && !delivery.timeline.length && html`<pre class="error" tabindex="0">${delivery.error}</pre>`}
    <footer><${ChangeButton} tone="small" onClick=${() => change({ operation: "replay", query })}>Replay…<//>
      <${ChangeButton} tone="small" onClick=${() => change({ operation: "discard", query })}>Discard…<//></footer></article>`;
}

/** @param {{ message: Message }} props */
function Fields({ message }) {
  const aggregate = `${message.aggregate_type}/${message.aggregate_id}`;
  /** @type {[string, any][]} */
  const rows = [
    ["id", html`<span class="mono">${message.id}</span> <${Copy} text=${message.id} />`],
    ["aggregate", html`<a class="mono" href=${address("key", "", { key: message.key ?? aggregate, tenant: message.tenant })}>${aggregate}</a>`],
    ["key", message.key ? html`<a class="mono" href=${keyAt(message.key, message.tenant)}>${message.key}</a>` : "none"],
    ["occurred", html`<${Time} at=${message.occurred_at} /> · <${Ago} at=${message.occurred_at} />`],
    ["due", message.due_at && html`<${Time} at=${message.due_at} />`], ["tenant", message.tenant], ["user", message.user],
    ["correlation", message.correlation_id], ["destination", message.destination], ["max attempts", message.max_attempts],
    ["place", `position ${positionText(message.position)}, partition ${message.partition}${message.lease ? `, held by ${message.lease.worker}` : ", held by nobody"}`],
  ];
  return html`<table class="rows"><tbody>${rows.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) => html`<tr key=${name}><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody></table>`;
}

/** @param {{ id: string }} props */
export function MessagePage({ id }) {
  const loaded = useLoaded(`messages/${encodeURIComponent(id)}`, {}, { everyMs: 3000 });
  const message = /** @type {Message | null} */ (loaded.data);
  const [lane, setLane] = useState(0);
  const delivery = message?.deliveries[lane];
  const own = message && delivery ? /** @type {import("../types").Listed} */ ({ ...message, destination: delivery.destination, status: delivery.status, attempts: delivery.attempts, error: delivery.error, due_at: delivery.due_at }) : null;
  const picture = useLane(own?.key ? { key: own.key, tenant: own.tenant, destination: own.destination ?? "" } : null, own);
  useKeys([
    { keys: "r", does: "replay this message", act: () => change({ operation: "replay", query: `id:${id}` }) },
    { keys: "x", does: "discard this message", act: () => change({ operation: "discard", query: `id:${id}` }) },
  ]);
  if (!message) return loaded.error ? html`<h1>Message</h1>${loaded.error.status === 404 ? html`<${Empty} title="There is no such message"><p>${loaded.error.message}</p><//>` : html`<${ErrorNote} error=${loaded.error} />`}` : html`<h1>Message</h1><${Loading} lines=${9} />`;
  return html`
    <p class="crumbs"><a href=${address("messages")}>Messages</a></p><h1>${message.event_type}</h1>
    ${message.next.map((explanation, n) => html`<${Why} key=${n} explanation=${explanation} alone=${message.next.length === 1} />`)}
    ${message.deliveries.length > 1 && html`<div class="chips" role="group" aria-label="Whose lane">${message.deliveries.map((one, n) => html`<button type="button" key=${one.destination} class="chip" aria-pressed=${n === lane ? "true" : "false"} onClick=${() => setLane(n)}>${one.destination}</button>`)}</div>`}
    ${own?.key && html`<section aria-label="Its key"><${LanePicture} lane=${picture} own=${message.id} /></section>`}
    <section aria-labelledby="deliveries"><h2 id="deliveries">Deliveries</h2><div class="columns">${message.deliveries.map((delivery) => html`<${Column} key=${delivery.destination} delivery=${delivery} id=${message.id} />`)}</div></section>
    <section aria-labelledby="fields"><h2 id="fields">The message</h2><${Fields} message=${message} /></section>
    <${Content} message=${message} />`;
}
