package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/enlace-iis/enlace/deploy/local/pgcluster"
	"github.com/enlace-iis/enlace/deploy/local/stack"
)

// clean deletes what runs leave in LOCAL_DIR, by name: a LOCAL_DIR that points to something else by mistake loses
// nothing. Databases that were given by address are not touched.
func clean(ctx context.Context) error {
	root, err := findRoot()
	if err != nil {
		return err
	}
	s, err := loadSettings(root)
	if err != nil {
		return err
	}
	_, err = os.Stat(s.LocalDir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	unlock, err := lockDir(s.LocalDir)
	if err != nil {
		return err
	}
	defer unlock()
	// These two may lie elsewhere.
	for _, folder := range []string{stack.PostgresFolder, stack.ProgramsFolder} {
		err = pgcluster.Remove(ctx, s.path(folder))
		if err != nil {
			return fmt.Errorf("delete %s: %w", folder, err)
		}
	}
	for _, name := range []string{demoFile, stack.SecretsFile, binFolder, logFolder, lockFile} {
		err = os.RemoveAll(s.path(name))
		if err != nil {
			return fmt.Errorf("delete %s: %w", name, err)
		}
	}
	err = os.Remove(s.LocalDir)
	if err != nil && !errors.Is(err, syscall.ENOTEMPTY) {
		return fmt.Errorf("delete LOCAL_DIR: %w", err)
	}
	return nil
}
