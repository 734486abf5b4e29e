// Writing to the outbox from Node, with mongodb: one insert in the transaction of the change it tells about.
//
//     npm install mongodb
//     node mongodb.mjs mongodb://user:password@host:27017/database?replicaSet=rs0
//
// Prints the id of every event that was committed, in order.

import { MongoClient, Timestamp, UUID } from "mongodb";

/**
 * Writes an event in the transaction that is open on this session, and returns its id.
 *
 * `more` are further fields: key, tenant, userId, correlationId, headers, occurredAt, dueAt, destination, maxAttempts,
 * contentType, sourceStream and sourceEvent. Everything that is left out has a sensible default.
 */
async function publish(session, outbox, eventType, aggregateType, aggregateId, payload, more = {}) {
  const event = {
    _id: new UUID(),
    eventType,
    aggregateType,
    aggregateId,
    payload,
    // The server puts its own logical clock here: events of one aggregate keep the order of their transactions.
    recordedAt: new Timestamp({ t: 0, i: 0 }),
    status: "pending",
    ...more,
  };
  await outbox.insertOne(event, { session });
  return event._id.toString();
}

/** A change and the event about it: both are stored, or neither. */
function placeOrder(client, database, order, total) {
  return client.withSession((session) =>
    session.withTransaction(async () => {
      await database.collection("orders").insertOne({ _id: order, total }, { session });
      return publish(session, database.collection("outbox_events"), "order.placed", "order", order, { total });
    }),
  );
}

/** With everything that an event can have. */
function shipOrder(client, database, order) {
  return client.withSession((session) =>
    session.withTransaction(async () => {
      await database.collection("orders").updateOne({ _id: order }, { $set: { shipped: true } }, { session });
      const outbox = database.collection("outbox_events");
      return publish(session, outbox, "order.shipped", "order", order, { shipped: true }, {
        tenant: "acme",
        userId: "ann",
        correlationId: "request-7",
        headers: [["trace", "a"], ["trace", "b"], ["größe", "ü"]],
        occurredAt: new Date("2026-01-02T03:04:05.678Z"),
        dueAt: new Date(Date.now() - 60_000),
        maxAttempts: 3,
      });
    }),
  );
}

/** Something goes wrong after the event was written: it never happened. */
async function failToPlaceOrder(client, database, order) {
  const failing = client.withSession((session) =>
    session.withTransaction(async () => {
      await publish(session, database.collection("outbox_events"), "order.placed", "order", order, { total: 0 });
      throw new Error("the card was refused");
    }),
  );
  await failing.catch(() => {});
}

/** An event of another system, which may send it twice: it is stored once. */
async function importEvent(client, database, stream, number) {
  const source = { sourceStream: stream, sourceEvent: String(number) };
  const importing = client.withSession((session) =>
    session.withTransaction(() =>
      publish(session, database.collection("outbox_events"), "invoice.paid", "invoice", stream, { number }, source),
    ),
  );
  return importing.catch((error) => {
    if (error.code === 11000) return undefined;
    throw error;
  });
}

const client = await MongoClient.connect(process.argv[2]);
const database = client.db();
const written = [await placeOrder(client, database, "node-1", 42), await shipOrder(client, database, "node-1")];
await failToPlaceOrder(client, database, "node-2");
for (const number of [1, 1, 2]) {
  written.push(await importEvent(client, database, "node-invoices", number));
}
// No order is asked for where there is no key.
await client.withSession(async (session) => {
  written.push(await publish(session, database.collection("outbox_events"), "page.viewed", "page", "node", { n: 1 }, { key: null }));
});
await client.close();
console.log(written.filter(Boolean).join("\n"));
