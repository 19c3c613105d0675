package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockDir makes the folder and keeps every other launcher out of it until unlock is called, or this process is gone.
func lockDir(dir string) (unlock func(), err error) {
	err = os.MkdirAll(dir, 0o755) //nolint:gosec // PostgreSQL's account has to get through; what is secret is 0600
	if err != nil {
		return nil, fmt.Errorf("make LOCAL_DIR: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock LOCAL_DIR: %w", err)
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(fmt.Errorf("otra ejecución local usa ya %s: deténgala o elija otra carpeta con LOCAL_DIR", dir), lock.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock LOCAL_DIR: %w", err), lock.Close())
	}
	return func() { _ = lock.Close() }, nil // the kernel drops the lock whatever Close says
}
