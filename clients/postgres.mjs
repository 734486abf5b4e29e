// Writing to the outbox from Node, with pg: one INSERT in the transaction of the change it tells about.
//
//     npm install pg
//     node postgres.mjs postgres://user:password@host:5432/database
//
// Prints the id of every event that was committed, in order.

import pg from "pg";

/**
 * Writes an event in the transaction that is open on this client, and returns its id.
 *
 * `more` are further columns: key, tenant, user_id, correlation_id, headers, occurred_at, due_at, destination, max_attempts,
 * content_type, source_stream and source_event. Everything that is left out has a sensible default. `undefined` comes back if an
 * event of the same source is stored already.
 */
async function publish(client, eventType, aggregateType, aggregateId, payload, more = {}) {
  const columns = {
    event_type: eventType,
    aggregate_type: aggregateType,
    aggregate_id: aggregateId,
    payload: Buffer.from(JSON.stringify(payload)),
    ...more,
  };
  // Names of columns come from this program, values from anywhere.
  const names = Object.keys(columns);
  const places = names.map((_, n) => `$${n + 1}`);
  const insert = `INSERT INTO posthaste.outbox (${names.join(", ")}) VALUES (${places.join(", ")}) RETURNING id`;
  const { rows } = await client.query(insert, Object.values(columns));
  return rows[0]?.id;
}

/** Runs `work` in a transaction: all of it is stored, or nothing. */
async function transaction(client, work) {
  await client.query("BEGIN");
  try {
    const result = await work();
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}

/** A change and the event about it: both are stored, or neither. */
function placeOrder(client, order, total) {
  return transaction(client, async () => {
    await client.query("INSERT INTO orders (id, total) VALUES ($1, $2)", [order, total]);
    return publish(client, "order.placed", "order", order, { total });
  });
}

/** With everything that an event can have. */
function shipOrder(client, order) {
  return transaction(client, async () => {
    await client.query("UPDATE orders SET shipped = true WHERE id = $1", [order]);
    return publish(client, "order.shipped", "order", order, { shipped: true }, {
      tenant: "acme",
      user_id: "ann",
      correlation_id: "request-7",
      headers: JSON.stringify([["trace", "a"], ["trace", "b"], ["größe", "ü"]]),
      occurred_at: new Date("2026-01-02T03:04:05.678Z"),
      due_at: new Date(Date.now() - 60_000),
      max_attempts: 3,
    });
  });
}

/** Something goes wrong after the event was written: it never happened. */
async function failToPlaceOrder(client, order) {
  const failing = transaction(client, async () => {
    await publish(client, "order.placed", "order", order, { total: 0 });
    throw new Error("the card was refused");
  });
  await failing.catch(() => {});
}

/** An event of another system, which may send it twice: it is stored once. */
function importEvent(client, stream, number) {
  const source = { source_stream: stream, source_event: String(number) };
  return transaction(client, () => publish(client, "invoice.paid", "invoice", stream, { number }, source));
}

const client = new pg.Client(process.argv[2]);
await client.connect();
await client.query("CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY, total int, shipped bool DEFAULT false)");
const written = [await placeOrder(client, "node-1", 42), await shipOrder(client, "node-1")];
await failToPlaceOrder(client, "node-2");
for (const number of [1, 1, 2]) {
  written.push(await importEvent(client, "node-invoices", number));
}
// No order is asked for where there is no key.
written.push(await publish(client, "page.viewed", "page", "node", { n: 1 }, { key: null }));
await client.end();
console.log(written.filter(Boolean).join("\n"));
