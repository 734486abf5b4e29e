// What is going on: one sentence, what needs a person, and every destination, worst first.
import { classes, html } from "../dom.js";
import { about, brief, counted, rate, span } from "../data/format.js";
import { useOpenJobs } from "../data/jobs.js";
import { useLive } from "../data/live.js";
import { address, destinationAt, messagesAt } from "../data/route.js";
import { ChangeButton, ViewerNote } from "../parts/button.js";
import { change } from "../parts/change.js";
import { stateOf } from "../parts/frame.js";
import { JobProgress } from "../parts/job.js";
import { setPaused } from "../parts/pause.js";
import { Sparkline } from "../parts/spark.js";
import { Badge, Command, Figure, Loading } from "../parts/words.js";
import { FirstSteps } from "./first_steps.js";

/** @typedef {import("../types").Problem} Problem */

/** The one thing that helps. @param {{ problem: Problem }} props */
function Remedy({ problem }) {
  const { action, query, destination } = problem;
  if (action === "replay" && query) return html`<${ChangeButton} tone="primary" onClick=${() => change({ operation: "replay", query })}>Replay…<//>`;
  if (action === "resume" && destination) return html`<${ChangeButton} tone="primary" onClick=${() => setPaused(destination, false)}>Resume…<//>`;
  if (destination) return html`<a class="button" href=${destinationAt(destination)}>Look</a>`;
  return html`<a class="button" href="/ui/workers">Look</a>`;
}

/** @param {{ problem: Problem }} props */
const NeedsAPerson = ({ problem }) => html`
  <li class="problem"><${Badge} status=${problem.kind}>${problem.kind.replace("_", " ")}<//>
    <div><p>${problem.text}</p>
      <p class="ways">${problem.query && html`<a href=${messagesAt(problem.query)}>Show them</a>`}<${Command} command=${problem.command} /></p></div>
    <${Remedy} problem=${problem} /></li>`;

/** @param {{ one: import("../types").DestinationNow }} props */
function Card({ one }) {
  const state = stateOf(one);
  return html`<article class=${classes("card", `is-${state}`)}>
    <header><h3><a href=${destinationAt(one.destination)}>${one.destination}</a></h3><${Badge} status=${state} /></header>
    <dl class="figures">
      <${Figure} name="oldest" value=${span(one.oldest_pending_seconds)} tone=${(one.oldest_pending_seconds ?? 0) > 60 && "warn"} />
      <${Figure} name="pending" value=${about(brief(one.pending), one.estimated)} />
      <${Figure} name="a second" value=${rate(one.delivered_per_second)} />
      <${Figure} name="waiting" value=${about(brief(one.waiting), one.estimated)} tone=${one.waiting > 0 && "warn"} />
      <${Figure} name="held keys" value=${brief(one.held_keys)} tone=${one.held_keys > 0 && "warn"} />
      <${Figure} name="dead" value=${brief(one.dead)} tone=${one.dead > 0 && "bad"} />
    </dl>
    <${Sparkline} points=${one.sparkline} label="Deliveries in the last 60 minutes" />
    <p class="cause" title=${one.outage ?? ""}>${one.outage ?? (one.paused ? "Paused by a person" : one.retrying ? counted(one.retrying, "delivery retries", "deliveries retry") : " ")}</p>
  </article>`;
}

/** Replays and discards of many, while they run. */
function UnderWay() {
  const jobs = useOpenJobs();
  if (!jobs.length) return null;
  return html`<section aria-labelledby="jobs"><h2 id="jobs"><a href=${address("jobs")}>Jobs under way</a></h2>${jobs.slice(0, 3).map((job) => html`<${JobProgress} key=${job.id} job=${job} />`)}</section>`;
}

export function NowPage() {
  const { now } = useLive();
  if (!now) return html`<h1 class="sentence">…</h1><${Loading} lines=${8} />`;
  if (now.messages === 0 && now.well) return html`<${FirstSteps} />`;
  return html`
    <h1 class=${classes("sentence", now.well ? "well" : "unwell")}><i aria-hidden="true"></i>${now.sentence}</h1>
    <${ViewerNote} />
    ${now.problems.length > 0 && html`<section aria-labelledby="needs"><h2 id="needs">Needs a person</h2>
      <ul class="problems">${now.problems.map((problem) => html`<${NeedsAPerson} key=${`${problem.kind} ${problem.destination}`} problem=${problem} />`)}</ul></section>`}
    <${UnderWay} />
    <section aria-labelledby="all"><h2 id="all">Destinations</h2>
      <div class="cards">${now.destinations.map((one) => html`<${Card} key=${one.destination} one=${one} />`)}</div></section>
    <p class="faint foot">${counted(now.messages, "message")} kept · ${counted(now.workers.filter((one) => one.alive).length, "worker")} · ${counted(now.partitions, "partition")}</p>`;
}
