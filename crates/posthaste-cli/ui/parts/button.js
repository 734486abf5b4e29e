// A button that changes something. A viewer sees it too, and why it does nothing.
import { html } from "../dom.js";
import { session } from "../data/api.js";
import { useObservable } from "../data/observable.js";

const WHY = "Only operators can do this: log in with an operator’s token.";

export const useIsOperator = () => useObservable(session)?.role === "operator";

/** @param {{ onClick: () => void, children?: any, tone?: string, title?: string }} props */
export function ChangeButton({ onClick, children, tone = "", title }) {
  const may = useIsOperator();
  return html`<button type="button" class=${tone} aria-disabled=${may ? undefined : "true"} title=${may ? title : WHY}
    onClick=${() => may && onClick()}>${children}${may ? null : html`<span class="unseen"> (${WHY})</span>`}</button>`;
}

/** Says once on a page that it can only be looked at. */
export function ViewerNote() {
  return useIsOperator() ? null : html`<p class="note">You are logged in as a viewer: you see everything but payloads. ${WHY}</p>`;
}
