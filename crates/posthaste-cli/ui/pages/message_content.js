// Headers and payload: folded, fetched only when an operator asks, and each look is in the audit log.
import { html, useState } from "../dom.js";
import { get } from "../data/api.js";
import { size } from "../data/format.js";
import { ChangeButton } from "../parts/button.js";
import { Copy, ErrorNote } from "../parts/words.js";

/** @typedef {import("../types").Message} Message */

/** JSON with its lines, anything else as it is. @param {string} text */
function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** @param {{ full: Message }} props */
function Shown({ full }) {
  const text = full.payload ?? full.payload_hex ?? "";
  const headers = full.headers ?? [];
  return html`
    ${headers.length > 0 && html`<h3>Headers</h3><table class="rows"><tbody>${headers.map(([name, value], n) => html`<tr key=${n}><th scope="row" class="mono">${name}</th><td class="mono">${value}</td></tr>`)}</tbody></table>`}
    <h3>Payload ${full.payload_hex ? "in hexadecimal" : ""} <${Copy} text=${text} /></h3>
    <pre class="payload" tabindex="0" aria-label="Payload">${full.payload === undefined || full.payload === null ? text : readable(text)}</pre>`;
}

/** @param {{ message: Message }} props */
export function Content({ message }) {
  const [full, setFull] = useState(/** @type {Message | null} */ (null));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const look = () => get(`messages/${message.id}`, { payload: true }).then(setFull, setError);
  const names = message.header_names.length ? `headers ${message.header_names.join(", ")}` : "no headers";
  return html`<section aria-labelledby="content"><h2 id="content">What it carries</h2>
    <p class="faint">${message.content_type}, ${size(message.payload_bytes)}; ${names}.</p>
    <${ErrorNote} error=${error} />
    ${full ? html`<${Shown} full=${full} />` : html`<p><${ChangeButton} onClick=${look}>Show headers and payload<//> <span class="faint">They may be personal or secret: each look is in the audit log.</span></p>`}
  </section>`;
}
