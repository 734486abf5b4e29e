package main

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// River with jobs that do nothing, as its own benchmark runs it: many workers, inserts by COPY, completions in batches.
type riverPeer struct {
	driver *riverpgxv5.Driver
	writer *river.Client[pgx.Tx]
}

// Kind names the job.
func (Order) Kind() string { return "order" }

var quiet = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))

func newRiver(pool *pgxpool.Pool) Peer {
	driver := riverpgxv5.New(pool)
	return &riverPeer{driver, must(river.NewClient(driver, &river.Config{Logger: quiet}))}
}

func (r *riverPeer) Prepare(ctx context.Context) {
	migrator := must(rivermigrate.New(r.driver, &rivermigrate.Config{Logger: quiet}))
	must(migrator.Migrate(ctx, rivermigrate.DirectionUp, nil))
}

func (r *riverPeer) Insert(ctx context.Context, orders []Order) {
	if len(orders) == 1 {
		must(r.writer.Insert(ctx, orders[0], nil))
		return
	}
	var jobs []river.InsertManyParams
	for _, order := range orders {
		jobs = append(jobs, river.InsertManyParams{Args: order})
	}
	must(r.writer.InsertManyFast(ctx, jobs))
}

type worker struct {
	river.WorkerDefaults[Order]
	handle func(Order)
}

func (w *worker) Work(_ context.Context, job *river.Job[Order]) error {
	w.handle(job.Args)
	return nil
}

func (r *riverPeer) Work(ctx context.Context, handle func(Order), ready func()) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{handle: handle})
	client := must(river.NewClient(r.driver, &river.Config{
		FetchCooldown:     2 * time.Millisecond,
		FetchPollInterval: 20 * time.Millisecond,
		Logger:            quiet,
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2_000}},
		Workers:           workers,
	}))
	check(client.Start(context.WithoutCancel(ctx)))
	ready()
	<-ctx.Done()
	check(client.Stop(context.WithoutCancel(ctx)))
}
