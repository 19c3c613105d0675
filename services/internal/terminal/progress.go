package terminal

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Progress shows a person how far something is that takes longer than a second: a bar, or
// the seconds while no total is known. At a pipe it shows nothing.
type Progress struct {
	terminal    *Terminal
	title       string
	started     time.Time
	done, total atomic.Int64
	end         chan struct{}
	drawing     sync.WaitGroup
}

const (
	// quiet is for how long nothing is shown.
	quiet     = time.Second
	drawEvery = 200 * time.Millisecond
	barWidth  = 30
	clearLine = "\r\x1b[K"
)

// StartProgress begins to show; Stop has to follow.
func (t *Terminal) StartProgress(title string) *Progress {
	p := &Progress{terminal: t, title: title, started: time.Now(), end: make(chan struct{})}
	if isTerminal(t.Err) {
		p.drawing.Go(p.draw)
	}
	return p
}

// Set tells how much is done, of how much. It may be called from any goroutine.
func (p *Progress) Set(done, total int64) {
	p.done.Store(done)
	p.total.Store(total)
}

// Stop takes away what was shown.
func (p *Progress) Stop() {
	close(p.end)
	p.drawing.Wait()
}

func (p *Progress) draw() {
	tick := time.NewTicker(drawEvery)
	defer tick.Stop()
	shown := false
	for {
		select {
		case <-p.end:
			if shown {
				fmt.Fprint(p.terminal.Err, clearLine)
			}
			return
		case now := <-tick.C:
			elapsed := now.Sub(p.started)
			if elapsed >= quiet {
				shown = true
				fmt.Fprint(p.terminal.Err, clearLine+p.line(elapsed))
			}
		}
	}
}

func (p *Progress) line(elapsed time.Duration) string {
	done, total := p.done.Load(), p.total.Load()
	if total <= 0 {
		return fmt.Sprintf("%s %.0f s", p.title, elapsed.Seconds())
	}
	filled := int(min(done, total) * barWidth / total)
	bar := strings.Repeat("█", filled) + strings.Repeat("░", barWidth-filled)
	return fmt.Sprintf("%s %s %3d %%  %d de %d", p.title, bar, min(done, total)*100/total, done, total)
}
