package child

import "syscall"

// attributes makes the kernel signal the child when the launcher is gone, however it went.
func attributes(death syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: death}
}
