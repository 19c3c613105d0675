// Package bench measures the built system as its users meet it, beside what somebody else would
// write in its place (the peer) and beside what the machine can do at all (the floors), in one
// run and in turn. measures_test.go says what is measured and what is to be reached; `make
// bench` prints it.
package bench
