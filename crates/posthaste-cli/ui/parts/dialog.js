// A dialog that holds the focus, and gives it back.
import { html, useEffect, useRef } from "../dom.js";
import { Observable, useObservable } from "../data/observable.js";

/** @type {Observable<any>} */
const shown = new Observable(/** @type {any} */ (null));

/** Shows a dialog; one at a time. @param {any} content */
export const open = (content) => shown.set(content);
export const close = () => shown.set(null);

/** The place of the dialog, drawn once. */
export const DialogPlace = () => useObservable(shown);

/** @param {{ title: string, children?: any, tone?: string }} props */
export function Dialog({ title, children, tone = "" }) {
  /** @type {{ current: HTMLDialogElement | null }} */
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const outside = (/** @type {MouseEvent} */ event) => event.target === element.current && close();
  return html`
    <dialog ref=${element} class=${tone} aria-labelledby="dialog-title" onClose=${close} onMouseDown=${outside}>
      <header><h2 id="dialog-title">${title}</h2>
        <button type="button" class="quiet icon" aria-label="Close" onClick=${close}>✕</button></header>
      ${children}
    </dialog>`;
}
