// `?`: the keys that do something now.
import { html } from "../dom.js";
import { bindings } from "../data/keyboard.js";
import { Dialog, open } from "./dialog.js";

const LICENCES = ["preact", "htm", "uplot"];

function Help() {
  const unique = new Map(bindings.value.filter((one) => !one.hidden).map((one) => [one.keys, one.does]));
  return html`<${Dialog} title="Keys">
    <dl class="keys">${[...unique].map(([keys, does]) => html`<div key=${keys}><dt>${keys.split(" ").map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${does}</dd></div>`)}
      <div><dt><kbd>Tab</kbd> <kbd>Enter</kbd></dt><dd>everything else</dd></div></dl>
    <p class="faint">Made with ${LICENCES.map((name, n) => html`${n ? ", " : ""}<a href=${`/ui/assets/vendor/${name}.LICENSE.txt`} target="_blank">${name}</a>`)}.</p>
  <//>`;
}

export const openHelp = () => open(html`<${Help} />`);
