package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The outbox that most projects write: claim a batch by UPDATE … SKIP LOCKED, send it, mark it as sent. With care: prepared
// statements, 500 in each, and another look after 5 ms when there was nothing.
type claim struct{ pool *pgxpool.Pool }

func newClaim(pool *pgxpool.Pool) Peer { return &claim{pool} }

const claimTable = `
	CREATE TABLE claims (
		id             uuid PRIMARY KEY DEFAULT gen_random_uuid(),
		event_type     text NOT NULL,
		aggregate_type text NOT NULL,
		aggregate_id   text NOT NULL,
		content_type   text NOT NULL DEFAULT 'application/json',
		payload        bytea NOT NULL,
		status         text NOT NULL DEFAULT 'PENDING',
		attempts       integer NOT NULL DEFAULT 0,
		due_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
		locked_by      text,
		locked_at      timestamptz,
		sent_at        timestamptz,
		last_error     text
	);
	CREATE INDEX claims_due ON claims (status, due_at)`

const claimBatch = `
	UPDATE claims SET status = 'PROCESSING', locked_by = 'worker-1', locked_at = now(), attempts = attempts + 1
	WHERE id IN (
		SELECT id FROM claims WHERE status = 'PENDING' AND due_at <= now() ORDER BY due_at LIMIT 500 FOR UPDATE SKIP LOCKED)
	RETURNING id, payload`

const claimSent = `
	UPDATE claims SET status = 'SENT', sent_at = now(), locked_by = NULL, locked_at = NULL, last_error = NULL
	WHERE id = ANY ($1)`

func (c *claim) Prepare(ctx context.Context) { must(c.pool.Exec(ctx, claimTable)) }

func (c *claim) Insert(ctx context.Context, orders []Order) {
	insertRows(ctx, c.pool, "claims", orders)
}

func (c *claim) Work(ctx context.Context, handle func(Order), ready func()) {
	ready()
	for ctx.Err() == nil {
		if c.batch(context.WithoutCancel(ctx), handle) == 0 {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

func (c *claim) batch(ctx context.Context, handle func(Order)) int {
	var ids [][16]byte
	var id [16]byte
	var payload []byte
	rows := must(c.pool.Query(ctx, claimBatch))
	must(pgx.ForEachRow(rows, []any{&id, &payload}, func() error {
		var order Order
		check(json.Unmarshal(payload, &order))
		handle(order)
		ids = append(ids, id)
		return nil
	}))
	if len(ids) > 0 {
		must(c.pool.Exec(ctx, claimSent, ids))
	}
	return len(ids)
}
