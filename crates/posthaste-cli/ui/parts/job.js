// One job: how far it is, how long it takes, who began it, and the button that stops it.
import { classes, html, useState } from "../dom.js";
import { post } from "../data/api.js";
import { count, counted, span } from "../data/format.js";
import { isOver, left, taken, useJob } from "../data/jobs.js";
import { useLive } from "../data/live.js";
import { jobAt, messagesAt } from "../data/route.js";
import { ChangeButton } from "./button.js";
import { Badge, ErrorNote } from "./words.js";

/** @typedef {import("../types").Job} Job */

/** @param {Job} job @param {boolean} served whether a worker is there */
function pace(job, served) {
  const took = taken(job);
  if (isOver(job)) return took === null ? "never began" : `took ${span(took)}`;
  if (job.state === "waiting") return served ? "begins in a moment" : "begins when a worker runs";
  const rest = left(job);
  return rest === null ? `running for ${span(took)}` : `about ${span(rest)} left`;
}

/** What a job has left undone, and why. @param {Job} job */
const besides = (job) => [
  job.not_applicable > 0 && `${count(job.not_applicable)} left as they were`,
  job.overtaken > 0 && `${counted(job.overtaken, "was overtaken", "were overtaken")}`,
].filter(Boolean).join(", ");

/** @param {{ job: Job, children?: any }} props */
export function JobProgress({ job: given, children }) {
  const [stopped, setStopped] = useState(/** @type {Job | null} */ (null));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const served = useLive().now?.workers.some((one) => one.alive) ?? false;
  const known = useJob(given.id, given).job ?? given;
  const job = stopped && !isOver(known) ? stopped : known;
  const share = job.state === "done" ? 1 : job.expected ? Math.min(1, job.affected / job.expected) : isOver(job) ? 0 : undefined;
  const stop = () => post(`jobs/${job.id}/stop`).then(setStopped, setError);
  return html`
    <article class=${classes("job", `is-${job.state}`)} aria-label=${`Job ${job.id}`}>
      <header><${Badge} status=${job.state} /><strong><a href=${jobAt(job.id)}>Job ${job.id}</a></strong><span class="faint">${job.operation}, by ${job.who}</span>
        <span class="spring"></span>${!isOver(job) && html`<${ChangeButton} onClick=${stop} tone="small">Stop<//>`}${children}</header>
      <p class="how-far"><strong>${count(job.affected)}</strong>${job.expected ? html` of ${count(job.expected)}` : null}<span class="faint"> · ${pace(job, served)}${besides(job) && ` · ${besides(job)}`}${!isOver(job) && job.worker ? ` · ${job.worker}` : ""}</span></p>
      <progress max="1" value=${share} aria-label=${`Progress of job ${job.id}`}></progress>
      <p class="faint selection"><a href=${messagesAt(job.query)}><code>${job.query}</code></a></p><${ErrorNote} error=${error} />
    </article>`;
}
