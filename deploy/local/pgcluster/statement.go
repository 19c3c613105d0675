package pgcluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// onNode runs statements as a node's superuser.
func onNode(ctx context.Context, node *Cluster, database string, statements ...string) error {
	conn, err := pgx.Connect(ctx, node.URL(database))
	if err != nil {
		return fmt.Errorf("connect to a node: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // what it did is committed by then
	for _, statement := range statements {
		_, err = conn.Exec(ctx, statement)
		if err != nil {
			return fmt.Errorf("prepare node: %w", err)
		}
	}
	return nil
}

// ownerOf gives the role whose database it is.
func ownerOf(ctx context.Context, node *Cluster, database string) (string, error) {
	conn, err := pgx.Connect(ctx, node.URL(database))
	if err != nil {
		return "", fmt.Errorf("connect to a node: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // it only reads
	var owner string
	err = conn.QueryRow(ctx, "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()").Scan(&owner)
	if err != nil {
		return "", fmt.Errorf("look up owner: %w", err)
	}
	return owner, nil
}

// isDuplicate tells that a database was there.
func isDuplicate(err error) bool {
	refusal, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refusal.Code == "42P04"
}
