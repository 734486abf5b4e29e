// graphile-worker with tasks that do nothing, tuned as its page on performance says: a local queue, completions in batches.

import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { measure } from "./harness.mjs";

const logger = new Logger(() => (level, message) => level === "error" && console.error(message));

await measure({
  async prepare(connectionString) {
    const utils = await makeWorkerUtils({ connectionString, logger });
    await utils.migrate();
    return { connectionString, utils };
  },

  insert: ({ utils }, jobs) =>
    jobs.length === 1
      ? utils.addJob("order", jobs[0])
      : utils.addJobs(jobs.map((payload) => ({ identifier: "order", payload }))),

  async work({ connectionString }, handle, stop, ready) {
    const worker = {
      connectionString,
      concurrentJobs: 24,
      maxPoolSize: 26,
      pollInterval: 2000,
      localQueue: { size: 500, refetchDelay: { durationMs: 0 } },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    };
    const runner = await run({
      preset: { worker },
      logger,
      noHandleSignals: true,
      taskList: { order: async (job) => handle(job) },
    });
    ready();
    await stop;
    await runner.stop();
  },
});
