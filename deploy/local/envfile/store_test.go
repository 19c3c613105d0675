package envfile

import (
	"path/filepath"
	"testing"
)

func TestStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secretos.env")
	calls := 0
	create := func() string {
		calls++
		return "made"
	}
	for range 2 {
		store, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := store.Ensure("A", create)
		if err != nil || got != "made" {
			t.Errorf("ensure = %q, %v", got, err)
		}
	}
	if calls != 1 {
		t.Errorf("the value was made %d times", calls)
	}
	store, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	err = store.Set("B", "2")
	if err != nil || store.Get("B") != "2" || store.Get("C") != "" {
		t.Errorf("set: %v", err)
	}
	values, err := Read(path)
	if err != nil || len(values) != 2 {
		t.Errorf("file = %v, %v", values, err)
	}
}
