// The foot of a long list: when it is seen, more is fetched.
import { html, useEffect, useRef } from "../dom.js";

/** @param {{ list: { rows: any[], complete: boolean, more: () => void } }} props */
export function More({ list }) {
  const end = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (!end.current) return;
    const seen = new IntersectionObserver((found) => found.some((one) => one.isIntersecting) && list.more());
    seen.observe(end.current);
    return () => seen.disconnect();
  }, [list.rows.length]);
  return html`<p ref=${end} class="faint foot">${list.complete ? "That is all." : "…"}</p>`;
}
