-- A session of the relay. Names are looked up in the journal's schema and in no other; temporary tables come last, so that
-- nothing can be slipped in. Plans are made once and by index: see `pool.rs`. What a relay that vanished has locked is free after ten seconds.
SET search_path = {schema}, pg_temp;
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SET jit = off;
SET idle_in_transaction_session_timeout = '10s';
SET timezone = 'UTC';
