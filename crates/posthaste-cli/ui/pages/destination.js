// One destination: how it does, over time, by which rules, and the switch.
import { html, useState } from "../dom.js";
import { about, brief, count, milliseconds, rate, span } from "../data/format.js";
import { useKeys } from "../data/keyboard.js";
import { useLive } from "../data/live.js";
import { useLoaded } from "../data/load.js";
import { address, messagesAt } from "../data/route.js";
import { ChangeButton } from "../parts/button.js";
import { change } from "../parts/change.js";
import { Chart } from "../parts/chart.js";
import { stateOf } from "../parts/frame.js";
import { setPaused } from "../parts/pause.js";
import { StretchForm } from "../parts/stretch.js";
import { Badge, Empty, ErrorNote, Figure, Loading, Time } from "../parts/words.js";

/** @typedef {import("../types").DestinationSetup} Details */
/** @typedef {import("../types").Series} Series */

const WINDOWS = ["10m", "1h", "24h"];

/** @param {{ name: string, window: string, onStretch: (stretch: import("../parts/chart.js").Stretch) => void }} props */
function Charts({ name, window, onStretch }) {
  const loaded = useLoaded("series", { destination: name, window }, { everyMs: window === "10m" ? 1000 : 10_000 });
  const series = /** @type {Series | null} */ (loaded.data);
  const of = series?.destinations.find((one) => one.destination === name);
  if (!series || !of) return loaded.error ? html`<${ErrorNote} error=${loaded.error} />` : html`<div class="charts"><${Loading} lines=${5} /></div>`;
  const shared = { start: series.start, step: series.step_seconds, onStretch };
  return html`<div class="charts">
    <${Chart} ...${shared} title="A second" format=${rate} lines=${[{ label: "delivered", values: of.delivered_per_second, tone: "good", fill: true }, { label: "failed", values: of.failed_per_second, tone: "bad" }]} />
    <${Chart} ...${shared} title="Backlog" format=${brief} lines=${[{ label: "pending", values: of.pending, tone: "accent", fill: true }, { label: "dead", values: of.dead, tone: "bad" }, { label: "held keys", values: of.held_keys, tone: "warn" }]} />
    <${Chart} ...${shared} title="Age of the oldest" format=${span} lines=${[{ label: "lag", values: of.oldest_pending_seconds, tone: "warn", fill: true }]} />
    <${Chart} ...${shared} title="Latency" format=${milliseconds} lines=${[{ label: "mean", values: of.latency_ms, tone: "accent" }, { label: "slowest", values: of.latency_max_ms, tone: "muted" }]} />
  </div>`;
}

/** @param {{ details: Details }} props */
function Rules({ details }) {
  /** @type {[string, any][]} */
  const rows = [
    ["sink", details.sink],
    ["route", details.route.length ? details.route.map((pattern) => html`<code key=${pattern}>${pattern}</code> `) : "only messages that name it"],
    ...Object.entries(details.policy).map(([name, value]) => /** @type {[string, any]} */ ([name.replaceAll("_", " "), String(value ?? "–")])),
  ];
  return html`<section aria-labelledby="rules"><h2 id="rules">Route and policy in force</h2>
    <table class="rows"><tbody>${rows.map(([name, value]) => html`<tr key=${name}><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody></table></section>`;
}

/** What this process has seen of it: whether it can be reached, and how long its answers took. @param {{ name: string }} props */
function Seen({ name }) {
  const { data } = useLoaded(/** @type {string} */ (`destinations/${encodeURIComponent(name)}`), {}, { everyMs: 3000 });
  const seen = /** @type {import("../types").Destination | null} */ (data);
  const { latency, breaker } = seen ?? {};
  return html`<${Figure} name="breaker" value=${breaker?.state ?? "–"} tone=${breaker?.state === "open" && "bad"} title=${breaker?.error ?? "Closed: deliveries pass. Open: it cannot be reached, and is tried now and then."} />
    ${latency && html`<${Figure} name="p99" value=${milliseconds(latency.p99_ms)} title=${`p50 ${milliseconds(latency.p50_ms)}, p95 ${milliseconds(latency.p95_ms)}: of ${count(latency.count)} deliveries since this relay began`} />`}`;
}

/** @param {{ name: string }} props */
export function DestinationPage({ name }) {
  const { now } = useLive();
  const [window, setWindow] = useState("10m");
  const [stretch, setStretch] = useState(() => ({ from: Math.floor(Date.now() / 1000) - 600, to: Math.floor(Date.now() / 1000) }));
  const loaded = useLoaded("setup");
  const setup = /** @type {import("../types").Setup | null} */ (loaded.data);
  const details = setup?.destinations.find((each) => each.destination === name);
  const one = now?.destinations.find((each) => each.destination === name);
  useKeys([{ keys: "p", does: "pause or resume this destination", act: () => one && setPaused(name, !one.paused) }]);
  if (now && !one) return html`<h1>${name}</h1><${Empty} title="No destination has this name"><p class="faint">The store knows ${now.destinations.map((each) => each.destination).join(", ") || "none"}.</p><//>`;
  if (!one) return html`<h1>${name}</h1><${Loading} lines=${8} />`;
  const dead = `status:dead destination:${name}`;
  return html`
    <p class="crumbs"><a href=${address("now")}>Now</a></p>
    <div class="title"><h1>${name}</h1><${Badge} status=${stateOf(one)} /><span class="spring"></span>
      ${one.dead > 0 && html`<a class="button" href=${address("failures", "", { destination: name })}>Failures</a><${ChangeButton} tone="primary" onClick=${() => change({ operation: "replay", query: dead })}>Replay the dead…<//>`}
      <${ChangeButton} onClick=${() => setPaused(name, !one.paused)}>${one.paused ? "Resume…" : "Pause…"}<//></div>
    ${one.outage && html`<p class="note bad">Out of reach: ${one.outage}. No attempt is spent; it goes on by itself.</p>`}
    ${one.paused_tenants.map(({ tenant, since, who }) => html`<p class="note warn" key=${tenant}>Tenant ${tenant} is paused since <${Time} at=${since} />, by ${who}. Its messages wait, in order.</p>`)}
    <dl class="figures wide">
      <${Figure} name="oldest" value=${span(one.oldest_pending_seconds)} /><${Figure} name="pending" value=${about(count(one.pending), one.estimated)} /><${Figure} name="in flight" value=${one.in_flight} />
      <${Figure} name="a second" value=${rate(one.delivered_per_second)} /><${Figure} name="latency" value=${milliseconds(one.latency_ms)} />
      <${Figure} name="retrying" value=${one.retrying} tone=${one.retrying > 0 && "warn"} /><${Figure} name="waiting" value=${about(count(one.waiting), one.estimated)} tone=${one.waiting > 0 && "warn"} />
      <${Figure} name="held keys" value=${one.held_keys} tone=${one.held_keys > 0 && "warn"} />
      <${Figure} name="dead" tone=${one.dead > 0 && "bad"} value=${one.dead ? html`<a href=${messagesAt(dead)}>${count(one.dead)}</a>` : 0} /><${Seen} name=${name} />
    </dl>
    <div class="chips" role="group" aria-label="How far back">${WINDOWS.map((each) => html`<button type="button" key=${each} class="chip" aria-pressed=${each === window ? "true" : "false"} onClick=${() => setWindow(each)}>${each}</button>`)}</div>
    <${Charts} name=${name} window=${window} onStretch=${setStretch} />
    <${StretchForm} destination=${name} stretch=${stretch} onStretch=${setStretch} />
    ${details ? html`<${Rules} details=${details} />` : setup && html`<p class="faint">The config of this process does not have it: its route and policy are known to the relay that serves it.</p>`}<${ErrorNote} error=${loaded.error} />`;
}
