package main

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5/pgxpool"
)

// An outbox as Debezium's router wants it. Its connector reads the server's log: `java/Debezium.java`.
type debezium struct{ pool *pgxpool.Pool }

func newDebezium(pool *pgxpool.Pool) Peer { return &debezium{pool} }

const debeziumTable = `
	CREATE TABLE outbox_events (
		id            uuid PRIMARY KEY DEFAULT gen_random_uuid(),
		aggregatetype varchar(255) NOT NULL,
		aggregateid   varchar(255) NOT NULL,
		type          varchar(255) NOT NULL,
		payload       jsonb NOT NULL
	);
	CREATE PUBLICATION debezium FOR TABLE outbox_events`

// Prepare makes the slot, too, so that the server keeps what is written before the connector starts.
func (d *debezium) Prepare(ctx context.Context) {
	must(d.pool.Exec(ctx, debeziumTable))
	must(d.pool.Exec(ctx, "SELECT pg_create_logical_replication_slot('debezium', 'pgoutput')"))
}

func (d *debezium) Insert(ctx context.Context, orders []Order) {
	var ids, payloads []string
	for _, order := range orders {
		ids, payloads = append(ids, key(order)), append(payloads, string(must(json.Marshal(order))))
	}
	must(d.pool.Exec(ctx, `INSERT INTO outbox_events (aggregatetype, aggregateid, type, payload)
		SELECT 'order', id, 'order.placed', payload::jsonb FROM unnest($1::text[], $2::text[]) AS _ (id, payload)`, ids, payloads))
}

// Work is not for the writer: the connector does it.
func (d *debezium) Work(context.Context, func(Order), func()) { panic("java Debezium.java") }
