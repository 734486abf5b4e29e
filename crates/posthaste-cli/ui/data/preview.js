// What a change would do, before it is done, and doing it.
import { post } from "./api.js";
import { latest } from "./live.js";
import { destinationOf } from "./selection.js";

/** @typedef {import("../types").JobPreview} Preview */
/** @typedef {import("../types").Job} Job */
/** @typedef {{ operation: "replay" | "discard", query: string }} Wanted */
/** @typedef {{ changed: number } | { job: Job }} Begun */

/** More than this is a job of the workers, and asks for the destination's name. */
export const MANY = 1000;

/** @param {Wanted} wanted @returns {Promise<Preview>} */
export const preview = (wanted) => post("jobs", { ...wanted, dry_run: true });

/** @param {Preview} dry */
export const isMany = (dry) => !dry.complete || dry.affected > MANY;

/** How long so many take: the workers to hand them out, and the destinations at the pace that they have now. @param {Preview} dry @param {number} total */
export function estimate(dry, total) {
  const looked = Math.max(1, dry.affected + dry.not_applicable);
  const handing = dry.estimate_seconds * Math.max(1, total / looked);
  const name = destinationOf(dry.query);
  const served = (latest()?.destinations ?? []).filter((one) => !name || one.destination === name);
  const pace = served.reduce((sum, one) => sum + (one.delivered_per_second ?? 0), 0);
  return dry.operation === "replay" && pace > 0 ? Math.max(handing, total / pace) : handing;
}

/** @param {Wanted} wanted @param {Preview} dry @param {number | null} expected @returns {Promise<Begun>} */
export async function carryOut(wanted, dry, expected) {
  if (!isMany(dry)) return { changed: (await post(wanted.operation, { query: wanted.query, dry_run: false })).affected };
  return { job: await post("jobs", { ...wanted, dry_run: false, expected }) };
}
