//go:build !linux

package child

import "syscall"

// attributes: elsewhere no kernel signals a child when its parent dies, so one that outlives a killed launcher is only
// found by the next run (pgcluster takes over its own server).
func attributes(syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{}
}
