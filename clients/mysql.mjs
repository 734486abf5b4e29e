// Writing to the outbox from Node, with mysql2: one INSERT in the transaction of the change it tells about.
//
//     npm install mysql2
//     node mysql.mjs mysql://user:password@host:3306/database
//
// Prints the id of every event that was committed, in order.

import mysql from "mysql2/promise";

/**
 * Writes an event in the transaction that is open on this connection, and returns its id.
 *
 * `more` are further columns: key, tenant, user_id, correlation_id, headers, occurred_at, due_at, destination, max_attempts,
 * content_type, source_stream and source_event. Everything that is left out has a sensible default. `undefined` comes back if an
 * event of the same source is stored already.
 */
async function publish(connection, eventType, aggregateType, aggregateId, payload, more = {}) {
  const columns = {
    event_type: eventType,
    aggregate_type: aggregateType,
    aggregate_id: aggregateId,
    payload: Buffer.from(JSON.stringify(payload)),
    ...more,
  };
  // Names of columns come from this program, values from anywhere.
  const names = Object.keys(columns).map((name) => `\`${name}\``);
  const insert = `INSERT INTO outbox (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
  try {
    await connection.query(insert, Object.values(columns));
  } catch (error) {
    // Only this statement has failed; the transaction goes on.
    if (error.code === "ER_DUP_ENTRY") return undefined;
    throw error;
  }
  const [rows] = await connection.query("SELECT id FROM outbox WHERE seq = LAST_INSERT_ID()");
  return rows[0].id;
}

/** Runs `work` in a transaction: all of it is stored, or nothing. */
async function transaction(connection, work) {
  await connection.beginTransaction();
  try {
    const result = await work();
    await connection.commit();
    return result;
  } catch (error) {
    await connection.rollback();
    throw error;
  }
}

/** A change and the event about it: both are stored, or neither. */
function placeOrder(connection, order, total) {
  return transaction(connection, async () => {
    await connection.query("INSERT INTO orders (id, total) VALUES (?, ?)", [order, total]);
    return publish(connection, "order.placed", "order", order, { total });
  });
}

/** With everything that an event can have. */
function shipOrder(connection, order) {
  return transaction(connection, async () => {
    await connection.query("UPDATE orders SET shipped = true WHERE id = ?", [order]);
    return publish(connection, "order.shipped", "order", order, { shipped: true }, {
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
async function failToPlaceOrder(connection, order) {
  const failing = transaction(connection, async () => {
    await publish(connection, "order.placed", "order", order, { total: 0 });
    throw new Error("the card was refused");
  });
  await failing.catch(() => {});
}

/** An event of another system, which may send it twice: it is stored once. */
function importEvent(connection, stream, number) {
  const source = { source_stream: stream, source_event: String(number) };
  return transaction(connection, () => publish(connection, "invoice.paid", "invoice", stream, { number }, source));
}

// Times are in UTC.
const connection = await mysql.createConnection({ uri: process.argv[2], timezone: "Z", charset: "utf8mb4" });
await connection.query(
  "CREATE TABLE IF NOT EXISTS orders (id VARCHAR(50) PRIMARY KEY, total INT, shipped BOOL DEFAULT false)",
);
const written = [await placeOrder(connection, "node-1", 42), await shipOrder(connection, "node-1")];
await failToPlaceOrder(connection, "node-2");
for (const number of [1, 1, 2]) {
  written.push(await importEvent(connection, "node-invoices", number));
}
// No order is asked for where there is no key.
written.push(await publish(connection, "page.viewed", "page", "node", { n: 1 }, { key: null }));
await connection.end();
console.log(written.filter(Boolean).join("\n"));
