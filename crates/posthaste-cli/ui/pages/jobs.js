// Replays and discards of many: those under way with their progress, and what has become of the others.
import { html, useEffect } from "../dom.js";
import { count, span } from "../data/format.js";
import { isOver, taken, useJob, useOpenJobs } from "../data/jobs.js";
import { usePages } from "../data/pages.js";
import { address, jobAt, messagesAt } from "../data/route.js";
import { ViewerNote } from "../parts/button.js";
import { JobProgress } from "../parts/job.js";
import { More } from "../parts/more.js";
import { Ago, Badge, Command, Empty, ErrorNote, Loading, Time } from "../parts/words.js";

/** @typedef {import("../types").Job} Job */

/** @param {{ job: Job }} props */
const Row = ({ job }) => html`
  <tr><td><a href=${jobAt(job.id)}>${job.id}</a></td><td><${Badge} status=${job.state} /></td><td>${job.operation}</td>
    <td class="clip" title=${job.query}><a href=${messagesAt(job.query)}><code>${job.query}</code></a></td><td>${job.who}</td><td><${Time} at=${job.created_at} /></td>
    <td class="number">${span(taken(job))}</td><td class="number">${count(job.affected)}${job.state === "stopped" && job.expected ? html`<span class="faint"> of ${count(job.expected)}</span>` : null}</td>
    <td class="number">${job.not_applicable ? count(job.not_applicable) : ""}</td><td class="number">${job.overtaken ? html`<span class="tone-warn">${count(job.overtaken)}</span>` : ""}</td></tr>`;

/** @param {{ jobs: Job[] }} props */
const Ended = ({ jobs }) => html`
  <div class="scrolls" tabindex="0" role="region" aria-label="Ended jobs"><table class="plain">
    <thead><tr><th>job</th><th>state</th><th>operation</th><th>selection</th><th>who</th><th>begun</th><th class="number">took</th><th class="number">done</th><th class="number">left alone</th><th class="number">overtaken</th></tr></thead>
    <tbody>${jobs.map((job) => html`<${Row} key=${job.id} job=${job} />`)}</tbody></table></div>`;

function AllJobs() {
  const open = useOpenJobs();
  const list = usePages("jobs", "jobs", "before", {});
  const ended = /** @type {Job[]} */ (list.rows).filter(isOver);
  useEffect(() => void list.again(), [open.map((job) => job.id).join()]);
  const none = list.complete && !open.length && !ended.length;
  return html`
    <h1>Jobs</h1><${ViewerNote} /><${ErrorNote} error=${list.error} />
    ${open.length > 0 && html`<section aria-labelledby="open"><h2 id="open">Under way</h2>${open.map((job) => html`<${JobProgress} key=${job.id} job=${job} />`)}</section>`}
    ${list.loading && !list.rows.length && !list.error ? html`<${Loading} />` : none ? html`
      <${Empty} title="No job yet"><p>A replay or a discard of more than 1,000 deliveries becomes one: it goes on when you close the page, whichever worker runs.</p><${Command} command="posthaste jobs" /><//>`
      : html`<section aria-labelledby="ended"><h2 id="ended">Ended</h2>${ended.length ? html`<${Ended} jobs=${ended} />` : html`<p class="faint">None yet.</p>`}</section><${More} list=${list} />`}`;
}

/** @param {{ id: number }} props */
function OneJob({ id }) {
  const { job, error } = useJob(id, null);
  return html`
    <p class="crumbs"><a href=${address("jobs")}>Jobs</a></p><h1>Job ${id}</h1><${ViewerNote} />
    ${error?.status === 404 ? html`<${Empty} title="There is no such job"><p class="faint">${error.message}</p><//>` : html`<${ErrorNote} error=${error} />`}
    ${job ? html`<${JobProgress} job=${job} /><p class="faint">Begun <${Ago} at=${job.created_at} />${job.ended_at ? html`, ended <${Ago} at=${job.ended_at} />` : ". It goes on when you close this page."}</p>
      <${Command} command=${`posthaste jobs show ${job.id}`} />` : !error && html`<${Loading} />`}`;
}

/** @param {{ name: string }} props */
export const JobsPage = ({ name }) => (name ? html`<${OneJob} key=${name} id=${Number(name)} />` : html`<${AllJobs} />`);
