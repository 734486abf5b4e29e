// What stands around every page: where one can go, how fresh the figures are, who one is.
import { classes, html } from "../dom.js";
import { logOut, session } from "../data/api.js";
import { brief, span } from "../data/format.js";
import { useOpenJobs } from "../data/jobs.js";
import { OLD_SECONDS, useAge, useLive } from "../data/live.js";
import { useObservable } from "../data/observable.js";
import { address, destinationAt } from "../data/route.js";
import { theme, turn } from "../data/theme.js";
import { DialogPlace } from "./dialog.js";
import { openHelp } from "./help.js";

export const PAGES = /** @type {const} */ ([
  ["now", "Now", "n"], ["failures", "Failures", "f"], ["messages", "Messages", "m"],
  ["jobs", "Jobs", "j"], ["workers", "Workers", "w"], ["audit", "Audit", "a"],
]);

/** @param {import("../types").DestinationNow} one */
export const stateOf = (one) => (one.outage ? "outage" : one.paused ? "paused" : one.dead ? "dead" : one.retrying ? "retrying" : "running");

/** @param {{ page: string }} props */
function Navigation({ page }) {
  const { now } = useLive();
  const dead = now?.destinations.reduce((sum, one) => sum + one.dead, 0) ?? 0;
  /** @type {Record<string, number>} */
  const numbers = { now: now?.problems.length ?? 0, failures: dead, jobs: useOpenJobs().length };
  return html`<nav aria-label="Pages"><ul>${PAGES.map(([name, title, key]) => html`
    <li key=${name}><a href=${address(name)} aria-current=${page === name ? "page" : undefined} title=${`g ${key}`}>
      <span>${title}</span>${numbers[name] ? html`<b class=${name === "jobs" ? "" : "alarm"}>${brief(numbers[name])}</b>` : null}</a></li>`)}</ul>
    <ul class="destinations" aria-label="Destinations">${now?.destinations.map((one) => html`
      <li key=${one.destination}><a href=${destinationAt(one.destination)}><i class=${`dot is-${stateOf(one)}`} aria-hidden="true"></i>
        <span>${one.destination}</span><small>${stateOf(one)}</small></a></li>`)}</ul></nav>`;
}

/** How fresh what is shown is, and what is wrong with the way it comes. */
function Freshness() {
  const { connection, storeError } = useLive();
  const age = useAge();
  const old = age !== null && age > OLD_SECONDS;
  const text = connection === "lost" ? `No connection${age === null ? "" : ` for ${span(age)}`}: trying again`
    : storeError ? "The store does not answer" : connection === "connecting" ? "Connecting" : old ? `${span(age)} old` : connection === "polling" ? "Live, by asking" : "Live";
  const tone = connection === "lost" || storeError ? "bad" : old ? "warn" : "good";
  return html`<p class=${`freshness tone-${tone}`} role="status" title=${storeError ?? ""}><i aria-hidden="true"></i>${text}</p>`;
}

function Account() {
  const who = useObservable(session);
  const shown = useObservable(theme);
  return html`<div class="account">
    <p title=${who?.who ?? ""}><strong>${who?.who ?? ""}</strong><small>${who?.role ?? ""}</small></p>
    <button type="button" class="quiet small" onClick=${turn} title="t">Theme: ${shown}</button>
    <button type="button" class="quiet small" onClick=${openHelp} title="?">Keys</button>
    ${who?.login && html`<button type="button" class="quiet small" onClick=${() => void logOut()}>Log out</button>`}
  </div>`;
}

/** Says in words, above everything, when what is below can no longer be trusted. */
function Trouble() {
  const { connection, storeError } = useLive();
  const age = useAge();
  if (connection === "lost" && age !== null) return html`<p class="trouble" role="alert">The connection to the relay is lost. What you see is ${span(age)} old; it comes back by itself.</p>`;
  if (storeError) return html`<p class="trouble" role="alert">${storeError}${age === null ? "" : ` What you see is ${span(age)} old.`}</p>`;
  return null;
}

/** @param {{ page: string, children?: any }} props */
export function Frame({ page, children }) {
  const age = useAge();
  return html`
    <a class="skip" href="#main" onClick=${(/** @type {Event} */ event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>Skip to the page</a>
    <header class="side"><a class="brand" href=${address("now")}><img src="/ui/assets/icon.svg" alt="" width="22" height="22" />Posthaste</a>
      <${Freshness} /><${Navigation} page=${page} /><${Account} /></header>
    <main id="main" tabindex="-1" class=${classes(age !== null && age > OLD_SECONDS && "old")}><${Trouble} />${children}</main>
    <${DialogPlace} />`;
}
