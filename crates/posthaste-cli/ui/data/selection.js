// The query line, as far as pages write it themselves.

/** A value as the line wants it. @param {string} value */
export const quoted = (value) => (/[\s"\\]/.test(value) ? `"${value.replace(/["\\]/g, "\\$&")}"` : value);

/** The words of a line; what is quoted stays together. @param {string} line */
const words = (line) => line.match(/(?:"(?:\\.|[^"\\])*"|[^\s"])+/g) ?? [];

/** The same line without any status, or with this one alone. @param {string} line @param {string | null} status */
export function withStatus(line, status) {
  const rest = words(line).filter((word) => !/^(status|state):/.test(word));
  return [...(status ? [`status:${status}`] : []), ...rest].join(" ");
}

/** The destination that a line names, if it names one. @param {string} line */
export function destinationOf(line) {
  const value = words(line).find((word) => word.startsWith("destination:"))?.slice("destination:".length);
  return value?.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value;
}

/** A place in the journal, as `after` wants it. @param {{ tick: number, seq: number }} position */
export const positionText = ({ tick, seq }) => (tick ? `${tick}.${seq}` : String(seq));
