// Package intake takes in the bodies of requests, so that no client, however slow or idle,
// keeps another one from sending. It knows package fair and the deadlines of net/http,
// nothing of routes and credentials.
//
// A body is with its client while it arrives, and so is a large answer until it is read.
// What is with clients is charged as it arrives, in a [fair.Pool] whose idle holders lose
// their room to senders with less of it. A whole body is at work: it takes its turn at a
// [fair.Gate], which only the services behind can keep occupied. So small bodies, which
// need no room while they arrive, never wait for a client.
package intake

import (
	"context"
	"math"
	"time"

	"github.com/enlace-iis/enlace/services/process/fair"
)

// strangersBytes is the room of all senders without a verified credential: they log in, with
// a few hundred bytes, which need none.
const strangersBytes = 2 << 20

// wait bounds the wait for room or for a turn. A body that is still not read then would soon
// be timed out by its client.
const wait = 5 * time.Second

// Config bounds Gates, in bytes of bodies, decompressed.
type Config struct {
	// Bytes are the bodies at work at once. Half as much may be with clients besides.
	Bytes int64
	// OwnerBytes and OwnerBatches are the share of one owner, as announced: bytes, and large
	// batches.
	OwnerBytes   int64
	OwnerBatches int
}

// Gates divide the memory of a process among its senders. Safe for concurrent use.
type Gates struct {
	// Wait bounds each wait; set before the first body.
	Wait time.Duration

	// batches and shares only count, what each owner has.
	batches, shares *fair.Gate
	work            *fair.Gate
	// clients is what has arrived of bodies and what is unread of answers.
	clients, strangers *fair.Pool
}

// New makes Gates through which nothing has gone yet.
func New(cfg Config) *Gates {
	return &Gates{
		Wait:      wait,
		batches:   fair.New(fair.Config{Capacity: math.MaxInt64, Share: int64(cfg.OwnerBatches)}),
		shares:    fair.New(fair.Config{Capacity: math.MaxInt64, Share: cfg.OwnerBytes}),
		work:      fair.New(fair.Config{Capacity: cfg.Bytes}),
		clients:   fair.NewPool(cfg.Bytes / 2),
		strangers: fair.NewPool(strangersBytes),
	}
}

// take waits for a turn, but not for long.
func (g *Gates) take(ctx context.Context, gate *fair.Gate, owner string, units int64) (*fair.Permit, error) {
	ctx, cancel := context.WithTimeout(ctx, g.Wait)
	defer cancel()
	return gate.Take(ctx, owner, units)
}

// grow waits for room, but not for long.
func (g *Gates) grow(ctx context.Context, hold *fair.Hold, units int64) error {
	ctx, cancel := context.WithTimeout(ctx, g.Wait)
	defer cancel()
	return hold.Grow(ctx, units)
}
