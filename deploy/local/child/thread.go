package child

import (
	"os/exec"
	"runtime"
	"sync"
)

// starts hands work to one goroutine that keeps its thread for good. Linux sends the death signal when the *thread*
// that started a child ends (go.dev/issue/27505), so a child started from any other thread could be killed while the
// launcher lives.
var starts = sync.OnceValue(func() chan<- func() {
	queue := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range queue {
			start()
		}
	}()
	return queue
})

func startOnLastingThread(cmd *exec.Cmd) error {
	result := make(chan error, 1)
	starts() <- func() { result <- cmd.Start() }
	return <-result
}
