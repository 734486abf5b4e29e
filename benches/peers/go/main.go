// The peers in Go, and the writer for Posthaste: the same content for each message, the same pace, the same measurements.
//
// Usage: peers river|claim|posthaste prepare|bulk|single|paced|drain|follow URL MESSAGES [WRITERS GAP_MS]
package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Order is the content of a message.
type Order struct {
	Order  int    `json:"order"`
	Filler string `json:"filler"`
}

// A Peer stores messages and works them off.
type Peer interface {
	Prepare(ctx context.Context)
	// Insert stores them in one transaction.
	Insert(ctx context.Context, orders []Order)
	// Work hands each message to a function until the context ends.
	Work(ctx context.Context, handle func(Order), ready func())
}

// filler is nothing that a database could compress.
var filler = func(bytes int) string {
	text := make([]byte, bytes/2)
	for n := range text {
		text[n] = byte(rand.Uint32())
	}
	return hex.EncodeToString(text)
}(fromEnvironment("PEER_BYTES", 450) - 30)

func order(n int) Order { return Order{Order: n, Filler: filler} }

func fromEnvironment(name string, otherwise int) int {
	if value := os.Getenv(name); value != "" {
		return must(strconv.Atoi(value))
	}
	return otherwise
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func say(value any) { fmt.Println(string(must(json.Marshal(value)))) }

func main() {
	ctx := context.Background()
	name, what, pool := os.Args[1], os.Args[2], must(pgxpool.New(ctx, os.Args[3]))
	peers := map[string]func(*pgxpool.Pool) Peer{"river": newRiver, "claim": newClaim, "posthaste": newPosthaste, "debezium": newDebezium}
	peer := peers[name](pool)
	number := func(nth int) int { return must(strconv.Atoi(os.Args[nth])) }
	switch what {
	case "prepare":
		peer.Prepare(ctx)
	case "bulk":
		say(map[string]float64{"seconds": insertAll(ctx, peer, number(4), 1000)})
	case "single":
		say(map[string]float64{"seconds": insertAll(ctx, peer, number(4), 1)})
	case "paced":
		say(paced(ctx, peer, number(4), number(5), time.Duration(number(6))*time.Millisecond))
	case "drain":
		handled(ctx, peer, number(4), func(took time.Duration) { say(map[string]float64{"seconds": took.Seconds()}) })
	case "follow":
		say(handled(ctx, peer, number(4), func(time.Duration) {}))
	default:
		log.Fatalf("cannot %q", what)
	}
}
