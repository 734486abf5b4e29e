// A worker behind an outbox: takes the jobs of one destination from BullMQ, and publishes each to Kafka.
//
//   node bullmq.mjs REDIS_URL QUEUE BROKERS TOPIC
//   node bullmq.mjs redis://localhost:6379 outbox-kafka-payments localhost:9092 payments
//
// A job that ends well is a message that is delivered. One that throws is tried again by the outbox, by the policy of its destination; one that
// throws an UnrecoverableError is dead at once. So there is nothing about retries here, and nobody to be told: the outbox waits for the job.

import { UnrecoverableError, Worker } from 'bullmq';
import { Kafka, logLevel } from 'kafkajs';

const [redis, queue, brokers, topic] = process.argv.slice(2);
const { hostname: host, port, username, password } = new URL(redis);
const connection = { host, port: Number(port || 6379), username, password, maxRetriesPerRequest: null };

const kafka = new Kafka({ clientId: queue, brokers: brokers.split(','), logLevel: logLevel.ERROR });
const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
await producer.connect();

/** Headers of Kafka are texts, and those that are absent are left out. */
const texts = (headers) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]));

async function publish(job) {
  const { outboxId, payload, headers, sourceEventId, tenantId, correlationId } = job.data;
  if (payload === undefined) throw new UnrecoverableError(`the job of ${outboxId} has no payload`);
  // Whoever reads the topic knows repeats by the key.
  const message = { key: sourceEventId, value: JSON.stringify(payload), headers: texts({ ...headers, tenantId, correlationId }) };
  const [published] = await producer.send({ topic, acks: -1, messages: [message] });
  return { partition: published.partition, offset: published.baseOffset };
}

const worker = new Worker(queue, publish, { connection, concurrency: 16 });
worker.on('failed', (job, error) => console.error(`${job?.data.outboxId} attempt ${job?.data.attempt}: ${error.message}`));
worker.on('error', (error) => console.error(error.message));

process.once('SIGTERM', async () => {
  await worker.close();
  await producer.disconnect();
});
