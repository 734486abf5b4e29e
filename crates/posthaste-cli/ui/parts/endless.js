// A list of any length of which only what is seen is drawn. All rows have the same height, so nothing jumps.
import { html, useEffect, useRef, useState } from "../dom.js";

/** Rows drawn beyond the edges, so that scrolling shows no gaps. */
const BEYOND = 12;
/** So many rows before the end more are asked for. */
const NEAR = 40;

/** @typedef {{ first: number, last: number, height: number }} Seen */

/**
 * @template T
 * @param {{ rows: T[], more: () => void, draw: (row: T, n: number) => any, selected: number, label: string }} props
 */
export function Endless({ rows, more, draw, selected, label }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const [seen, setSeen] = useState(/** @type {Seen} */ ({ first: 0, last: 60, height: 36 }));

  useEffect(() => {
    const look = () => {
      if (!list.current) return;
      const height = parseFloat(getComputedStyle(list.current).getPropertyValue("--row-height")) || 36;
      const top = -list.current.getBoundingClientRect().top;
      const first = Math.max(0, Math.floor(top / height) - BEYOND);
      const last = Math.ceil((top + innerHeight) / height) + BEYOND;
      setSeen((before) => (before.first === first && before.last === last && before.height === height ? before : { first, last, height }));
    };
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [rows.length > 0]);

  useEffect(() => {
    if (seen.last + NEAR > rows.length) more();
  }, [seen.last, rows.length]);

  useEffect(() => {
    if (selected < 0 || !list.current) return;
    const top = list.current.getBoundingClientRect().top + selected * seen.height;
    const margin = 90;
    if (top < margin) scrollBy(0, top - margin);
    else if (top + seen.height > innerHeight - margin) scrollBy(0, top + seen.height - innerHeight + margin);
  }, [selected]);

  const drawn = rows.slice(seen.first, seen.last);
  return html`<div ref=${list} class="endless" role="rowgroup" aria-label=${label}>
    <div role="presentation" style=${{ height: `${seen.first * seen.height}px` }}></div>
    ${drawn.map((row, n) => draw(row, seen.first + n))}
    <div role="presentation" style=${{ height: `${Math.max(0, rows.length - seen.first - drawn.length) * seen.height}px` }}></div>
  </div>`;
}
