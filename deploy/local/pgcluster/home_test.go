package pgcluster

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPlace_reachable(t *testing.T) {
	t.Parallel()
	wanted := filepath.Join(keptFolder(t), "postgres")
	got, err := place(wanted, stranger)
	if err != nil {
		t.Fatal(err)
	}
	if got != wanted {
		t.Errorf("place = %s, want %s", got, wanted)
	}
}

func TestPlace_underClosedFolder(t *testing.T) {
	t.Parallel()
	closed := keptFolder(t)
	err := os.Chmod(closed, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	wanted := filepath.Join(closed, "postgres")

	first, err := place(wanted, stranger)
	if err != nil {
		t.Fatal(err)
	}
	removeLater(t, first)
	if first == wanted || !reachable(first, stranger) {
		t.Errorf("place = %s, which the account cannot enter", first)
	}
	second, err := place(wanted, stranger)
	if err != nil {
		t.Fatal(err)
	}
	if second != first {
		t.Errorf("the second run has %s, the first %s", second, first)
	}

	err = Remove(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{wanted, first} {
		_, err = os.Stat(dir)
		if !os.IsNotExist(err) {
			t.Errorf("%s is still there", dir)
		}
	}
}

func TestPlace_recordedFolderIsGone(t *testing.T) {
	t.Parallel()
	closed := keptFolder(t)
	err := os.Chmod(closed, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	first, err := place(closed, stranger)
	if err != nil {
		t.Fatal(err)
	}
	err = os.RemoveAll(first)
	if err != nil {
		t.Fatal(err)
	}
	second, err := place(closed, stranger)
	if err != nil {
		t.Fatal(err)
	}
	removeLater(t, second)
	if !reachable(second, stranger) {
		t.Errorf("place = %s, which does not exist", second)
	}
}

func TestReachable_ownAccount(t *testing.T) {
	t.Parallel()
	if !reachable("/no/such/folder", nil) {
		t.Error("the caller's own account is checked; it must not be")
	}
}
