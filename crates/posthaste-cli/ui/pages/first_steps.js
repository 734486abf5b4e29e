// For a journal that is still empty: what to do next, with the config that is in force.
import { html } from "../dom.js";
import { counted } from "../data/format.js";
import { useLoaded } from "../data/load.js";
import { useLive } from "../data/live.js";
import { Command, Loading } from "../parts/words.js";

/** @typedef {import("../types").Setup} Setup */

/** @param {{ setup: Setup }} props */
const InForce = ({ setup }) => html`
  <section><h2>The config in force</h2>
    <table class="rows"><tbody>
      <tr><th scope="row">store</th><td>${setup.store.type} at <code>${setup.store.place}</code></td></tr>
      <tr><th scope="row">kept</th><td>${setup.retention ?? "for ever"}</td></tr>
      ${setup.destinations.map((one) => html`<tr key=${one.destination}><th scope="row">${one.destination}</th>
        <td>${one.sink}, gets ${one.route.length ? one.route.map((pattern) => html`<code key=${pattern}>${pattern}</code> `) : "only messages that name it"}</td></tr>`)}
    </tbody></table></section>`;

export function FirstSteps() {
  const { now } = useLive();
  const { data: setup } = useLoaded(/** @type {string} */ ("setup"));
  const workers = now?.workers.filter((one) => one.alive).length ?? 0;
  return html`
    <h1 class="sentence well"><i aria-hidden="true"></i>The journal is empty, and everything is ready.</h1>
    <ol class="steps">
      <li><h2>Write a message</h2><p>Your application writes it in its own transaction, with the library or with plain SQL. To try:</p>
        <${Command} command=${`posthaste enqueue --event-type order.paid --aggregate order/42 --payload '{"total": 99}'`} /></li>
      <li><h2>Deliver it</h2>${workers
        ? html`<p>${counted(workers, "worker runs", "workers run")} already: the message shows up here within a second.</p>`
        : html`<p>No worker runs yet:</p><${Command} command="posthaste run" />`}</li>
      <li><h2>Look at it</h2><p>Here, or in a terminal:</p><${Command} command="posthaste list --limit 5" /></li>
    </ol>
    ${setup ? html`<${InForce} setup=${setup} />` : html`<${Loading} />`}`;
}
