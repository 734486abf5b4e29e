// A key at one destination as a lane: what came before, what holds it, what stands behind.
import { get } from "./api.js";
import { positionText, quoted } from "./selection.js";

/** @typedef {import("../types").Listed} Listed */
/** @typedef {{ destination: string, key: string, tenant: string | null, rows: Listed[], head: Listed | null, behind: number, moreBefore: boolean, moreBehind: boolean }} Lane */

const BEFORE = 8;
const BEHIND = 16;
/** States in which a message at the head holds the others of its key. */
const HOLDING = ["dead", "retrying", "throttled", "paused", "awaiting", "replay"];

/** @param {{ key: string, tenant: string | null, destination: string }} of */
export const queryOf = ({ key, tenant, destination }) => `key:${quoted(key)} destination:${quoted(destination)}${tenant ? ` tenant:${quoted(tenant)}` : ""}`;

/** @param {string} query @param {"newest" | "oldest"} order @param {string | null} after @param {number} limit */
async function some(query, order, after, limit) {
  const page = await get("deliveries", { query, order, after, limit });
  return { rows: /** @type {Listed[]} */ (page.deliveries).slice(0, limit), more: page.next !== null };
}

/**
 * Around a message, or around the head of the key, or its newest messages.
 * @param {{ key: string, tenant: string | null, destination: string }} of
 * @param {Listed | null} own
 * @returns {Promise<Lane>}
 */
export async function lane(of, own) {
  const query = queryOf(of);
  const { rows: held } = await some(`${query} status:${HOLDING.join(",")}`, "oldest", null, 1);
  const head = held[0] ?? null;
  const middle = own ?? head;
  const [before, behind] = await Promise.all([
    some(query, "newest", middle && positionText(middle.position), BEFORE),
    middle ? some(query, "oldest", positionText(middle.position), BEHIND) : { rows: [], more: false },
  ]);
  const around = [...before.rows.reverse(), ...(middle ? [middle] : []), ...behind.rows];
  const rows = head && !around.some((row) => row.id === head.id) ? [head, ...around] : around;
  return { ...of, rows, head, behind: behind.rows.filter((row) => row.status === "waiting").length, moreBefore: before.more, moreBehind: behind.more };
}
