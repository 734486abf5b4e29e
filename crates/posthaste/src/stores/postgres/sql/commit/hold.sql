-- Keys get a cursor of their own, or move it; by primary key.
INSERT INTO outbox_held_keys (destination, partition, key, tenant, after_tick, after_seq, until_tick, until_seq)
SELECT * FROM unnest(
    $1::text[], $2::integer[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
ON CONFLICT (destination, key, tenant) DO UPDATE SET
    after_tick = excluded.after_tick, after_seq = excluded.after_seq,
    until_tick = excluded.until_tick, until_seq = excluded.until_seq;
