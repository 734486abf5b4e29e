// Small things that are everywhere: a status, a time, a number with its name, a copied text.
import { classes, html, useState } from "../dom.js";
import { count, secondsSince, short, span, utc, when } from "../data/format.js";
import { useSeconds } from "../data/observable.js";
import { messageAt } from "../data/route.js";

/** A state by colour and word. @param {{ status: string, children?: any }} props */
export const Badge = ({ status, children }) => html`<span class=${`badge is-${status}`}><i aria-hidden="true"></i>${children ?? status}</span>`;

/** A time, local; exact and in UTC on hover. @param {{ at: string | null | undefined }} props */
export function Time({ at }) {
  if (!at) return html`<span class="faint">–</span>`;
  return html`<time datetime=${at} title=${utc(at)}>${when(at)}</time>`;
}

/** How long ago, or how long until. @param {{ at: string }} props */
export function Ago({ at }) {
  useSeconds();
  const seconds = secondsSince(at);
  return html`<time datetime=${at} title=${`${when(at)} · ${utc(at)}`}>${seconds < 0 ? `in ${span(-seconds)}` : `${span(seconds)} ago`}</time>`;
}

/** @param {{ name: string, value: any, tone?: string | false, title?: string }} props */
export const Figure = ({ name, value, tone, title }) => html`
  <div class=${classes("figure", tone && `tone-${tone}`)} title=${title}>
    <dt>${name}</dt><dd>${typeof value === "number" ? count(value) : value}</dd>
  </div>`;

/** @param {{ id: string }} props */
export const MessageLink = ({ id }) => html`<a class="mono" href=${messageAt(id)} title=${id}>${short(id)}</a>`;

/** A text that a click copies. @param {{ text: string, label?: string, className?: string }} props */
export function Copy({ text, label = "Copy", className = "" }) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    setSaid(copied ? "Copied" : "Select and copy by hand");
    setTimeout(() => setSaid(""), 2000);
  };
  return html`<button type="button" class=${`quiet small ${className}`} title=${text} onClick=${copy}><span aria-live="polite">${said || label}</span></button>`;
}

/** A command for a terminal. @param {{ command: string }} props */
export const Command = ({ command }) => html`<span class="command"><code>${command}</code><${Copy} text=${command} /></span>`;

/** @param {{ error: Error | null }} props */
export const ErrorNote = ({ error }) => (error ? html`<p class="note bad" role="alert">${error.message}</p>` : null);

/** @param {{ title: string, children?: any }} props */
export const Empty = ({ title, children }) => html`<div class="empty"><p><strong>${title}</strong></p>${children}</div>`;

/** Grey lines in the place of what is being fetched, so that nothing jumps. @param {{ lines?: number }} props */
export const Loading = ({ lines = 4 }) => html`<div class="loading" aria-busy="true" aria-label="Loading">${Array.from({ length: lines }, () => html`<i></i>`)}</div>`;
