package port

import (
	"net"
	"testing"
)

func TestFree(t *testing.T) {
	t.Parallel()
	number, err := Free()
	if err != nil {
		t.Fatal(err)
	}
	if number < lowest || number > highest {
		t.Errorf("port %d is outside the range", number)
	}
	listener, err := net.Listen("tcp", Address(number))
	if err != nil {
		t.Fatal(err)
	}
	err = Check(number)
	if err == nil {
		t.Error("a port in use counts as free")
	}
	err = listener.Close()
	if err != nil {
		t.Fatal(err)
	}
}

// Nobody listens on any of them, and still none is given twice.
func TestFree_claims(t *testing.T) {
	t.Parallel()
	given := map[int]bool{}
	for range 400 {
		number, err := Free()
		if err != nil {
			t.Fatal(err)
		}
		if given[number] {
			t.Fatalf("port %d is given twice", number)
		}
		given[number] = true
	}
}
