// What a change would do, before it is done: the store's own dry run, and a look at what it is about.
import { get, post } from "./api.js";
import { latest } from "./live.js";

/** @typedef {import("../types").Listed} Listed */
/** @typedef {{ operation: "replay" | "discard", query: string }} Wanted */
/** @typedef {{ affected: number, notApplicable: number, overtaken: number, keys: number, allKeys: boolean, seconds: number | null, destinations: string[], sample: Listed[] }} Preview */

/** Enough to see which keys are meant; the number of deliveries is counted by the store and exact. */
const LOOKED_AT = 1000;

/** How long the destinations take for so many at the pace that they have now. @param {string[]} names @param {number} affected */
function estimate(names, affected) {
  const paces = (latest()?.destinations ?? []).filter((one) => names.includes(one.destination)).map((one) => one.delivered_per_second ?? 0);
  const pace = paces.reduce((sum, one) => sum + one, 0);
  return pace > 0 ? affected / pace : null;
}

/** @param {Wanted} wanted @returns {Promise<Preview>} */
export async function preview({ operation, query }) {
  const [dry, page] = await Promise.all([
    post(operation, { query, dry_run: true }),
    get("deliveries", { query, limit: LOOKED_AT }),
  ]);
  const rows = /** @type {Listed[]} */ (page.deliveries);
  const destinations = [...new Set(rows.flatMap((row) => row.destination ?? []))];
  return {
    affected: dry.affected, notApplicable: dry.not_applicable, overtaken: dry.overtaken,
    keys: new Set(rows.map((row) => `${row.tenant} ${row.key ?? row.id}`)).size, allKeys: page.next === null,
    seconds: operation === "discard" ? null : estimate(destinations, dry.affected), destinations, sample: rows.slice(0, 8),
  };
}

/** More than this is a job of the workers. */
const AT_ONCE = 1000;
const LOOK_AGAIN_MS = 300;

/** @param {Wanted} wanted @param {number} expected @returns {Promise<number>} how many it changed */
export async function carryOut({ operation, query }, expected) {
  if (expected <= AT_ONCE) return (await post(operation, { query, dry_run: false })).affected;
  let job = await post("jobs", { operation, query, dry_run: false, expected });
  while (job.state === "waiting" || job.state === "running") {
    await new Promise((resume) => setTimeout(resume, LOOK_AGAIN_MS));
    job = await get(`jobs/${job.id}`);
  }
  return job.affected;
}
