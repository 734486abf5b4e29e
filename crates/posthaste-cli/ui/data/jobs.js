// Jobs: replays and discards of many, which workers carry out piece by piece, whoever watches.
import { latest, useLive } from "./live.js";
import { useLoaded } from "./load.js";

/** @typedef {import("../types").Job} Job */

/** @param {Job} job */
export const isOver = (job) => job.state === "done" || job.state === "stopped";

/** Those under way, the newest first. */
export const useOpenJobs = () => (useLive().now?.jobs ?? []).filter((job) => !isOver(job));

/** What is known of a job: the live state is the newest, and has only those of the last minutes. @param {number} id @param {Job | null} given */
export function useJob(id, given) {
  const live = useLive().now?.jobs.find((one) => one.id === id);
  const loaded = useLoaded(live || given ? null : `jobs/${id}`, {}, { everyMs: 2000 });
  return { job: live ?? given ?? /** @type {Job | null} */ (loaded.data), error: live || given ? null : loaded.error };
}

/** Seconds by the store's clock. @param {string} from @param {string | null | undefined} to */
const between = (from, to) => Math.max(0, (new Date(to ?? latest()?.at ?? Date.now()).getTime() - new Date(from).getTime()) / 1000);

/** How long it has taken so far, or took. @param {Job} job */
export const taken = (job) => (job.started_at ? between(job.started_at, job.ended_at) : null);

/** How long it goes on at the pace that it has had; nothing while that is not known. @param {Job} job */
export function left(job) {
  const seconds = taken(job);
  if (isOver(job) || seconds === null || !job.expected || !job.affected) return null;
  return (seconds / job.affected) * Math.max(0, job.expected - job.affected);
}
