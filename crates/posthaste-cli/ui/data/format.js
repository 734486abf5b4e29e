// Numbers, durations and times as people read them.

const THOUSANDS = new Intl.NumberFormat("en");
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** @param {number | null | undefined} value */
export const count = (value) => (value === null || value === undefined ? "–" : THOUSANDS.format(value));

/** Short enough for a narrow place. @param {number | null | undefined} value */
export const brief = (value) => (value === null || value === undefined ? "–" : value < 10_000 ? count(Math.round(value)) : COMPACT.format(value));

/** A number that may be only about right. @param {string} text @param {boolean} estimated */
export const about = (text, estimated) => (estimated && text !== "0" ? `≈ ${text}` : text);

/** @param {number} value @param {string} one @param {string} [many] */
export const counted = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

/** @param {number | null | undefined} value */
export function rate(value) {
  if (value === null || value === undefined) return "–";
  return value > 0 && value < 10 ? value.toFixed(1) : brief(value);
}

const STEPS = /** @type {const} */ ([[86_400, "d", 3600, "h"], [3600, "h", 60, "min"], [60, "min", 1, "s"]]);

/** Two units at most, such as `2 h 5 min`. @param {number | null | undefined} seconds */
export function span(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  for (const [unit, name, lesser, lesserName] of STEPS) {
    if (seconds < unit) continue;
    const whole = Math.floor(seconds / unit);
    const rest = Math.floor((seconds - whole * unit) / lesser);
    return rest && whole < 10 ? `${whole} ${name} ${rest} ${lesserName}` : `${whole} ${name}`;
  }
  return seconds < 10 ? `${Math.max(0, seconds).toFixed(1)} s` : `${Math.floor(seconds)} s`;
}

/** @param {number | null | undefined} ms */
export function milliseconds(ms) {
  if (ms === null || ms === undefined) return "–";
  return ms >= 1000 ? span(ms / 1000) : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** @param {number} bytes */
export const size = (bytes) => (bytes < 1024 ? `${bytes} B` : bytes < 1_048_576 ? `${(bytes / 1024).toFixed(1)} kB` : `${(bytes / 1_048_576).toFixed(1)} MB`);

/** @param {Date} date */
const day = (date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
/** @param {number} value */
const two = (value) => String(value).padStart(2, "0");

/** Local; with the day unless that is today. @param {string} text */
export function when(text) {
  const date = new Date(text);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return day(date) === day(new Date()) ? time : `${day(date)} ${time}`;
}

/** For the hover: exact, and the same for everyone. @param {string} text */
export const utc = (text) => `${new Date(text).toISOString().replace("T", " ").replace("Z", "")} UTC`;

/** @param {string} text */
export const secondsSince = (text) => (Date.now() - new Date(text).getTime()) / 1000;

/** Enough of an id to tell one from another; the beginning of many is the same. @param {string} id */
export const short = (id) => `${id.slice(0, 4)}…${id.slice(-8)}`;
