// Small pictures of numbers over time. They are decoration beside the figures: a text says the same.
import { html } from "../dom.js";
import { rate } from "../data/format.js";

const WIDTH = 120;
const HEIGHT = 28;

/** A line over the last hour; gaps where nothing is known. @param {{ points: (number | null)[], label: string }} props */
export function Sparkline({ points, label }) {
  const known = points.filter((value) => value !== null);
  const most = Math.max(1e-9, ...known);
  const x = (/** @type {number} */ n) => (n / Math.max(1, points.length - 1)) * WIDTH;
  const y = (/** @type {number} */ value) => HEIGHT - 2 - (value / most) * (HEIGHT - 5);
  let line = "";
  points.forEach((value, n) => {
    if (value === null) return;
    line += `${n > 0 && points[n - 1] !== null && line ? "L" : "M"}${x(n).toFixed(1)} ${y(value).toFixed(1)}`;
  });
  const whole = known.length === points.length && line ? `${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z` : "";
  const said = known.length ? `${label}: up to ${rate(most)} a second` : `${label}: not known`;
  return html`<svg class="spark" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${said}>
    <title>${said}</title>${whole && html`<path class="area" d=${whole} />`}<path class=${known.length ? "line" : "line unknown"} d=${known.length ? line : `M0 ${HEIGHT - 2}H${WIDTH}`} /></svg>`;
}

/** How a number came about, as bars. @param {{ points: number[], label: string }} props */
export function Bars({ points, label }) {
  const most = Math.max(1, ...points);
  const step = WIDTH / Math.max(1, points.length);
  return html`<svg class="spark bars" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${label}><title>${label}</title>
    ${points.map((value, n) => {
      const height = value ? Math.max(2, (value / most) * (HEIGHT - 2)) : 1;
      return html`<rect key=${n} class=${value ? "bar" : "bar none"} x=${(n * step + 0.5).toFixed(1)} width=${Math.max(1, step - 1.5).toFixed(1)} y=${(HEIGHT - height).toFixed(1)} height=${height.toFixed(1)} />`;
    })}</svg>`;
}
