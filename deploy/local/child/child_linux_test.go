package child

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
)

// launcherVariable makes the test binary play the launcher that gets killed.
const launcherVariable = "CHILD_TEST_LAUNCHER"

func TestMain(m *testing.M) {
	if os.Getenv(launcherVariable) != "" {
		playLauncher()
	}
	os.Exit(m.Run())
}

func playLauncher() {
	p, err := Start(Spec{Name: "sleep", Path: "/bin/sleep", Args: []string{"600"}})
	if err != nil {
		os.Exit(1)
	}
	fmt.Println(p.PID())
	<-p.Done()
	os.Exit(0)
}

func TestStart_childDiesWithKilledLauncher(t *testing.T) {
	t.Parallel()
	launcher := exec.Command(os.Args[0])
	launcher.Env = append(os.Environ(), launcherVariable+"=1")
	stdout, err := launcher.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	err = launcher.Start()
	if err != nil {
		t.Fatal(err)
	}
	pid := line(t, bufio.NewReader(stdout))
	err = launcher.Process.Kill()
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, stdout)
	if err != nil {
		t.Fatal(err)
	}
	_ = launcher.Wait() // its error is the kill
	awaitGone(t, pid)
}
