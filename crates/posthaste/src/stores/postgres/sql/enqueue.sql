-- Stores messages in the caller's transaction, in the order given. A message whose origin was stored before is left out by a trigger
-- that only messages with an origin pay for; everything else that is wrong with one is an error. Writes to the end of every index
-- but those of id, key and aggregate.
INSERT INTO {schema}.outbox (
    id, event_type, aggregate_type, aggregate_id, key, tenant, user_id, correlation_id, content_type, occurred_at, due_at,
    destination, max_attempts, source_stream, source_event, headers, payload
)
SELECT id::uuid, event_type, aggregate_type, aggregate_id, key, tenant, user_id, correlation_id, content_type,
       timestamptz 'epoch' + occurred_at * interval '1 microsecond', timestamptz 'epoch' + due_at * interval '1 microsecond',
       destination, max_attempts, source_stream, source_event, headers::json, payload
FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[],
    $11::bigint[], $12::text[], $13::integer[], $14::text[], $15::text[], $16::text[], $17::bytea[]
) AS given (
    id, event_type, aggregate_type, aggregate_id, key, tenant, user_id, correlation_id, content_type, occurred_at, due_at,
    destination, max_attempts, source_stream, source_event, headers, payload
);
