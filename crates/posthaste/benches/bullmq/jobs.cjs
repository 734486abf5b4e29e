// No-op jobs of BullMQ: `work` does them, `produce` adds so many and says how many a second were completed.
//
//   node jobs.cjs work PORT QUEUE
//   node jobs.cjs produce PORT QUEUE COUNT

const { Queue, QueueEvents, Worker } = require('bullmq');

const [what, port, name, count] = process.argv.slice(2);
const connection = { host: '127.0.0.1', port: Number(port), maxRetriesPerRequest: null };

/** As many at once as make the most of one process. */
const CONCURRENCY = 100;
/** Jobs that are added with one call, and how many of them may be under way. */
const BULK = 100;
const AHEAD = 1_000;

async function work() {
  const worker = new Worker(name, async () => {}, { connection, concurrency: CONCURRENCY });
  await worker.waitUntilReady();
  console.log('ready');
}

/** As one who waits for its jobs does it, and has no other work. */
async function produce() {
  // From the first event on, none of which is trimmed: a completed job that is not heard of would be waited for without end.
  const queue = new Queue(name, { connection, streams: { events: { maxLen: 10 * Number(count) } } });
  await queue.waitUntilReady();
  const events = new QueueEvents(name, { connection, lastEventId: '0' });
  await events.waitUntilReady();
  const [total, data] = [Number(count), { outboxId: 'x', payload: 'x'.repeat(500) }];
  let [added, completed] = [0, 0];
  const options = (n) => ({ jobId: `bare-${n}`, attempts: 1, removeOnComplete: { age: 86_400 } });
  const begin = process.hrtime.bigint();
  await new Promise((done) => {
    const more = async () => {
      while (added < total && added - completed < AHEAD) {
        const jobs = Array.from({ length: BULK }, (_, n) => ({ name: 'order.created', data, opts: options(added + n) }));
        added += BULK;
        await queue.addBulk(jobs);
      }
    };
    events.on('completed', () => {
      completed += 1;
      if (completed === total) done();
      else if (completed % BULK === 0) more();
    });
    more();
  });
  console.log(total / (Number(process.hrtime.bigint() - begin) / 1e9));
  process.exit(0);
}

({ work, produce })[what]();
