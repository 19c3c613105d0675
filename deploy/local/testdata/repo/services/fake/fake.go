// Package fake is what the four binaries of this folder are made of. They stand for the real ones in the tests of the
// local run: they serve what the launcher looks at, answer what it asks, and write down what happened to them.
package fake

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// Main is the main function of the binary of that name.
func Main(name string) {
	switch {
	case len(os.Args) == 1:
		serve(name)
	case os.Args[1] == "migrate":
		note("migrate " + name)
		dump(name + "-migrate")
	default:
		operate(os.Args[1:])
	}
}

func serve(name string) {
	if os.Getenv("FAKE_BROKEN") == name {
		fmt.Println("cannot serve")
		os.Exit(3)
	}
	stopping := make(chan os.Signal, 1)
	signal.Notify(stopping, syscall.SIGTERM)
	note("start " + name)
	dump(name)
	if os.Getenv("HTTP_ADDR") != "" {
		go http.ListenAndServe(os.Getenv("HTTP_ADDR"), routes())
	}
	ready := func(http.ResponseWriter, *http.Request) {}
	go http.ListenAndServe(os.Getenv("OPS_ADDR"), http.HandlerFunc(ready))
	<-stopping
	note("stop " + name)
}

// note adds a line to the journal of the run; lines this short are written whole.
func note(line string) {
	journal, err := os.OpenFile("journal", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer journal.Close()
	fmt.Fprintln(journal, line)
}

// dump writes down the environment, the process id and which program runs.
func dump(name string) {
	content := strings.Join(append(os.Environ(), "PROGRAM="+os.Args[0], fmt.Sprint("PID=", os.Getpid())), "\n")
	err := os.WriteFile(name+".environment", []byte(content), 0o600)
	if err != nil {
		panic(err)
	}
}
