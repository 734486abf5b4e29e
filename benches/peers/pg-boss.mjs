// pg-boss by hand, which is its fastest way: two loops that fetch 500 and complete 500, and look again after 5 ms.

import { PgBoss } from "pg-boss";
import { measure, pause } from "./harness.mjs";

const queue = "order";

await measure({
  async prepare(connectionString) {
    const boss = new PgBoss({ connectionString, max: 4, supervise: false, schedule: false });
    boss.on("error", console.error);
    await boss.start();
    await boss.createQueue(queue);
    return boss;
  },

  insert: (boss, jobs) =>
    jobs.length === 1 ? boss.send(queue, jobs[0]) : boss.insert(queue, jobs.map((data) => ({ data }))),

  async work(boss, handle, stop, ready) {
    let stopped = false;
    const loop = async () => {
      while (!stopped) {
        const batch = (await boss.fetch(queue, { batchSize: 500 })) ?? [];
        for (const job of batch) handle(job.data);
        if (batch.length > 0) await boss.complete(queue, batch.map((job) => job.id));
        else await pause(5);
      }
    };
    ready();
    const loops = [loop(), loop()];
    await stop;
    stopped = true;
    await Promise.all(loops);
  },
});
