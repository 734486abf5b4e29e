// Works off the jobs of a queue, and writes into a file what it does: a line when it begins a job, and one when it is done with it.
//
// node worker.cjs LIBRARY URL PREFIX QUEUE LOG OPTIONS

const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');

const [library, url, prefix, queue, log, options] = process.argv.slice(2);
const { Worker, UnrecoverableError } = require(library);

const note = (event, more) => fs.appendFileSync(log, JSON.stringify({ event, pid: process.pid, ...more }) + '\n');

/** What the payload wants done. */
const actions = {
  fail: ({ why, times }, { attempt }) => {
    if (attempt <= (times ?? Infinity)) throw new Error(why);
  },
  refuse: ({ why }) => {
    throw new UnrecoverableError(why);
  },
  linger: ({ ms }) => sleep(ms),
  hold: async () => {
    while (!fs.existsSync(`${log}.go`)) await sleep(10);
  },
  die: () => {
    if (fs.existsSync(`${log}.died`)) return;
    fs.writeFileSync(`${log}.died`, '');
    process.kill(process.pid, 'SIGKILL');
  },
};

async function work(job) {
  note('begin', { id: job.id, message: job.data.outboxId, key: job.data.key, attempt: job.data.attempt });
  if (job.data.aggregateType === 'refused') throw new UnrecoverableError('not this one');
  const wanted = job.data.payload?.do;
  if (wanted) await actions[wanted](job.data.payload, job.data);
  note('end', { id: job.id, message: job.data.outboxId, key: job.data.key, attempt: job.data.attempt });
  return 'done';
}

const { hostname: host, port, username, password } = new URL(url);
const connection = { host, port: Number(port), username, password, maxRetriesPerRequest: null, retryStrategy: () => 50 };
const worker = new Worker(queue, work, { connection, prefix, ...JSON.parse(options) });
worker.on('error', () => {});
worker.waitUntilReady().then(() => note('ready'));
