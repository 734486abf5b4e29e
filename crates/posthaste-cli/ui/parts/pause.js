// Pausing and resuming a destination, after saying what that means now.
import { html, useState } from "../dom.js";
import { post } from "../data/api.js";
import { counted } from "../data/format.js";
import { latest } from "../data/live.js";
import { Dialog, close, open } from "./dialog.js";
import { ErrorNote } from "./words.js";

/** @param {string} name @param {boolean} paused whether it shall be */
export const setPaused = (name, paused) => open(html`<${PauseDialog} name=${name} paused=${paused} />`);

/** @param {string} name @param {boolean} paused */
function meaning(name, paused) {
  const counts = latest()?.destinations.find((one) => one.destination === name);
  const pending = (counts?.pending ?? 0) + (counts?.retrying ?? 0) + (counts?.replay ?? 0);
  const waits = `${counted(pending, "delivery waits", "deliveries wait")} now`;
  return paused
    ? `No worker delivers to it any more, also after restarts, until somebody resumes it. ${waits}; what is written meanwhile waits too. Nothing is lost, and no attempt is spent.`
    : `All workers deliver to it again, in order. ${waits}.`;
}

/** @param {{ name: string, paused: boolean }} props */
function PauseDialog({ name, paused }) {
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const word = paused ? "Pause" : "Resume";
  const act = (/** @type {Event} */ event) => {
    event.preventDefault();
    post(`destinations/${encodeURIComponent(name)}/${word.toLowerCase()}`).then(close, setError);
  };
  return html`
    <${Dialog} title=${`${word} ${name}: what would happen`}>
      <p class="lead">${meaning(name, paused)}</p><${ErrorNote} error=${error} />
      <form onSubmit=${act}><footer><button type="button" onClick=${close}>Cancel</button>
        <button type="submit" class="primary" autofocus>${word} ${name}</button></footer></form>
    <//>`;
}
