// A chart over time, by uPlot; a stretch of it can be chosen with the mouse.
import { html, useEffect, useRef } from "../dom.js";
import { useObservable } from "../data/observable.js";
import { isDark, theme } from "../data/theme.js";

/** @typedef {{ label: string, values: (number | null)[], tone: string, fill?: boolean }} Line */
/** @typedef {{ from: number, to: number }} Stretch in seconds since 1970 */

const HEIGHT = 150;

/** So many points may be missing without a gap: a busy store is not asked in each second. */
const MISSING = 5;

/** The same with short gaps closed. @param {(number | null)[]} values */
function bridged(values) {
  let [last, since] = [/** @type {number | null} */ (null), 0];
  const drawn = values.slice();
  values.forEach((value, n) => {
    if (value === null) return;
    if (last !== null && n - since <= MISSING + 1) drawn.fill(last, since + 1, n);
    [last, since] = [value, n];
  });
  return drawn;
}

/** @param {string} tone */
const colour = (tone) => getComputedStyle(document.documentElement).getPropertyValue(`--${tone}`).trim();

/**
 * @param {Line[]} lines
 * @param {(value: number | null) => string} format
 * @param {(stretch: Stretch) => void} onStretch
 * @returns {any}
 */
function options(lines, format, onStretch) {
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const clock = (/** @type {number} */ at) => `${two(new Date(at * 1000).getHours())}:${two(new Date(at * 1000).getMinutes())}`;
  const axis = { stroke: colour("muted"), grid: { stroke: colour("line"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
  return {
    height: HEIGHT, width: 400, legend: { show: false }, padding: [8, 8, 0, 0],
    cursor: { y: false, drag: { x: true, y: false, setScale: false } },
    scales: { y: { range: (/** @type {any} */ _, /** @type {number} */ __, /** @type {number | null} */ most) => [0, Math.max(4, (most ?? 0) * 1.1)] } },
    axes: [{ ...axis, size: 28, values: (/** @type {any} */ _, /** @type {number[]} */ splits) => splits.map(clock) }, { ...axis, size: 66, values: (/** @type {any} */ _, /** @type {number[]} */ splits) => splits.map(format) }],
    series: [{}, ...lines.map((line) => ({ label: line.label, stroke: colour(line.tone), width: 1.5, points: { show: false }, fill: line.fill ? `${colour(line.tone)}22` : undefined }))],
    hooks: {
      setSelect: [(/** @type {any} */ plot) => {
        if (plot.select.width < 4) return;
        onStretch({ from: plot.posToVal(plot.select.left, "x"), to: plot.posToVal(plot.select.left + plot.select.width, "x") });
      }],
    },
  };
}

/** @param {{ title: string, start: number, step: number, lines: Line[], format: (value: number | null) => string, onStretch: (stretch: Stretch) => void }} props */
export function Chart({ title, start, step, lines, format, onStretch }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const plot = useRef(/** @type {any} */ (null));
  const shownTheme = useObservable(theme);
  const length = lines[0]?.values.length ?? 0;
  const data = [Array.from({ length }, (_, n) => start + n * step), ...lines.map((line) => bridged(line.values))];
  const newest = useRef(data);
  newest.current = data;

  useEffect(() => {
    let gone = false;
    const fit = new ResizeObserver(() => plot.current?.setSize({ width: place.current?.clientWidth ?? 400, height: HEIGHT }));
    void import("../vendor/uplot.mjs").then(({ default: Plot }) => {
      if (gone || !place.current) return;
      plot.current = new Plot(options(lines, format, onStretch), /** @type {any} */ (newest.current), place.current);
      fit.observe(place.current);
    });
    return () => {
      gone = true;
      fit.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shownTheme, isDark(), lines.map((line) => line.label).join()]);

  useEffect(() => plot.current?.setData(data), [start, length, lines[0]?.values]);
  const last = (/** @type {Line} */ line) => line.values.findLast((value) => value !== null) ?? null;
  return html`<figure class="chart"><figcaption><strong>${title}</strong>${lines.map((line) => html`<span key=${line.label} class=${`key-${line.tone}`}><i aria-hidden="true"></i>${line.label} ${format(last(line))}</span>`)}</figcaption>
    <div ref=${place} class="plot"></div></figure>`;
}
