package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// At says when something happened to a message: its number, and microseconds since 1970.
type At [2]int64

func now(n int) At { return At{int64(n), time.Now().UnixMicro()} }

// insertAll stores so many messages, so many in each transaction, and says how many seconds that took.
func insertAll(ctx context.Context, peer Peer, messages, batch int) float64 {
	begun := time.Now()
	for first := 0; first < messages; first += batch {
		var orders []Order
		for n := first; n < min(first+batch, messages); n++ {
			orders = append(orders, order(n))
		}
		peer.Insert(ctx, orders)
	}
	return time.Since(begun).Seconds()
}

// paced says when each message was acknowledged. Each writer waits for its own commit, and not at an even beat, which could fall in
// with a poll.
func paced(ctx context.Context, peer Peer, messages, writers int, gap time.Duration) []At {
	var (
		all          sync.WaitGroup
		mutex        sync.Mutex
		acknowledged []At
	)
	for writer := range writers {
		all.Go(func() {
			due := time.Now()
			for n := writer; n < messages; n += writers {
				due = due.Add(time.Duration(float64(gap) * (0.5 + rand.Float64())))
				time.Sleep(time.Until(due))
				peer.Insert(ctx, []Order{order(n)})
				at := now(n)
				mutex.Lock()
				acknowledged = append(acknowledged, at)
				mutex.Unlock()
			}
		})
	}
	all.Wait()
	return acknowledged
}

// handled says when each message was handled, and tells `done` how long all of them took. Their recording is not waited for there.
func handled(ctx context.Context, peer Peer, messages int, done func(time.Duration)) []At {
	var mutex sync.Mutex
	ctx, stop := context.WithCancel(ctx)
	times := make([]At, 0, messages)
	begun := time.Now()
	handle := func(order Order) {
		mutex.Lock()
		defer mutex.Unlock()
		times = append(times, now(order.Order))
		if len(times) == messages {
			done(time.Since(begun))
			stop()
		}
	}
	peer.Work(ctx, handle, func() { fmt.Println("ready") })
	return times
}
