// What the peers in Node have in common: the same content for each job, the same pace of writing, the same measurements.
// Usage of each: node PEER.mjs prepare|bulk|single|paced|drain|follow URL JOBS [WRITERS GAP_MS]

const filler = "x".repeat(420);
const [what, url, jobs, writers, gap] = process.argv.slice(2).map((word, n) => (n < 2 ? word : Number(word)));

const order = (n) => ({ order: n, filler });
/** Microseconds since 1970. */
const now = () => Math.round((performance.timeOrigin + performance.now()) * 1000);
const pause = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));
/** Resolves when it is out: an exit would cut off what is longer than a pipe. */
const say = (value) => new Promise((said) => process.stdout.write(`${JSON.stringify(value)}\n`, said));

/** `insert` takes a list of jobs in one transaction; `work` hands each job to a function until `stop` resolves. */
export async function measure({ prepare, insert, work }) {
  const peer = await prepare(url);
  const begun = performance.now();
  const seconds = () => ({ seconds: (performance.now() - begun) / 1000 });
  switch (what) {
    case "bulk":
      for (let first = 0; first < jobs; first += 1000)
        await insert(peer, Array.from({ length: Math.min(1000, jobs - first) }, (_, n) => order(first + n)));
      await say(seconds());
      break;
    case "single":
      for (let n = 0; n < jobs; n++) await insert(peer, [order(n)]);
      await say(seconds());
      break;
    case "paced":
      await say(await paced(peer, insert));
      break;
    case "drain":
      await handled(peer, work);
      break;
    case "follow":
      await say(await handled(peer, work));
      break;
  }
  process.exit(0);
}

/** When each job was acknowledged. Each writer waits for its own commit, and not at an even beat, which could fall in with a poll. */
async function paced(peer, insert) {
  const acknowledged = [];
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      let due = performance.now();
      for (let n = writer; n < jobs; n += writers) {
        due += gap * (0.5 + Math.random());
        await pause(Math.max(0, due - performance.now()));
        await insert(peer, [order(n)]);
        acknowledged.push([n, now()]);
      }
    }),
  );
  return acknowledged;
}

/** When each job was handled. Says how long it took as soon as the last one was; its recording is not waited for. */
async function handled(peer, work) {
  const times = [];
  let finish;
  const stop = new Promise((resolve) => (finish = resolve));
  const begun = performance.now();
  const handle = (job) => {
    times.push([job.order, now()]);
    if (times.length !== jobs) return;
    if (what === "drain") say({ seconds: (performance.now() - begun) / 1000 });
    finish();
  };
  await work(peer, handle, stop, () => console.log("ready"));
  return times;
}

export { pause };
