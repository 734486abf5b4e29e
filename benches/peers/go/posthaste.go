package main

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Posthaste as an application in any language writes to it: one INSERT by the SQL contract. The shipped program delivers.
type posthaste struct{ pool *pgxpool.Pool }

func newPosthaste(pool *pgxpool.Pool) Peer { return &posthaste{pool} }

func (p *posthaste) Insert(ctx context.Context, orders []Order) {
	insertRows(ctx, p.pool, "posthaste.outbox", orders)
}

// Prepare is not for the writer: `posthaste migrate` does it.
func (p *posthaste) Prepare(context.Context) { panic("posthaste migrate") }

// Work is not for the writer: `posthaste run` does it.
func (p *posthaste) Work(context.Context, func(Order), func()) { panic("posthaste run") }

// keys is how many there are; 0 is one for each message.
var keys = fromEnvironment("PEER_KEYS", 0)

// insertRows stores messages in one statement: both tables that it knows have these columns.
func insertRows(ctx context.Context, pool *pgxpool.Pool, table string, orders []Order) {
	if len(orders) == 1 {
		insert := "INSERT INTO " + table + " (event_type, aggregate_type, aggregate_id, payload) VALUES ($1, $2, $3, $4)"
		must(pool.Exec(ctx, insert, "order.placed", "order", key(orders[0]), must(json.Marshal(orders[0]))))
		return
	}
	var ids []string
	var payloads [][]byte
	for _, order := range orders {
		ids, payloads = append(ids, key(order)), append(payloads, must(json.Marshal(order)))
	}
	insert := "INSERT INTO " + table + ` (event_type, aggregate_type, aggregate_id, payload)
		SELECT 'order.placed', 'order', id, payload FROM unnest($1::text[], $2::bytea[]) AS _ (id, payload)`
	must(pool.Exec(ctx, insert, ids, payloads))
}

func key(order Order) string {
	if keys == 0 {
		return strconv.Itoa(order.Order)
	}
	return strconv.Itoa(order.Order % keys)
}
