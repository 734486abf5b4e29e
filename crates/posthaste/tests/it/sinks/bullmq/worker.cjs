// Works off the jobs of a queue, and writes into a file what it does: a line when it begins a job, and one when it is done with it.
//
// node worker.cjs LIBRARY URL PREFIX QUEUE LOG OPTIONS

const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');

const [library, url, prefix, queue, log, options] = process.argv.slice(2);
const { Worker, UnrecoverableError } = require(library);

/** Every job takes a moment, so that a worker that is killed is in the middle of some. */
const MOMENT = 20;

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
  settle: async ({ api, token, says }, { outboxId, destination, attempt, handOver }) => {
    const outcome = says[attempt - 1];
    const reason = outcome === 'failed' ? 'said by the worker' : undefined;
    const body = JSON.stringify({ outcome, reason, hand_over: handOver });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const said = () => fetch(`http://${api}/api/v1/deliveries/${outboxId}/${destination}/settle`, { method: 'POST', headers, body });
    // On a busy machine the hand-over may not be on record yet.
    while ((await said()).status === 409) await sleep(50);
  },
  die: () => {
    if (fs.existsSync(`${log}.died`)) return;
    fs.writeFileSync(`${log}.died`, '');
    process.kill(process.pid, 'SIGKILL');
  },
};

async function work(job) {
  const { outboxId: message, key, attempt, handOver } = job.data;
  note('begin', { id: job.id, message, key, attempt, handOver });
  if (job.data.aggregateType === 'refused') throw new UnrecoverableError('not this one');
  await sleep(MOMENT);
  const wanted = job.data.payload?.do;
  if (wanted) await actions[wanted](job.data.payload, job.data);
  note('end', { id: job.id, message, key, attempt });
  return job.data.payload?.returns;
}

const { hostname: host, port, username, password } = new URL(url);
const connection = { host, port: Number(port), username, password, maxRetriesPerRequest: null, retryStrategy: () => 50 };
const worker = new Worker(queue, work, { connection, prefix, ...JSON.parse(options) });
worker.on('error', () => {});
worker.on('completed', (job) => note('recorded', { id: job.id, message: job.data.outboxId, key: job.data.key }));
worker.waitUntilReady().then(() => note('ready'));
