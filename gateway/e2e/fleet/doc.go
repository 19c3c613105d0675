// Package fleet has two replicas of both services and of the gateway behind a balancer, and
// a client that asks them without pause, so that a suite can change whatever it likes and
// hold that nobody noticed: no request failed, nothing that was accepted is lost, and the
// platform was told each match once.
//
// The balancer is as real ones are: it sends to who says to be ready, and repeats nothing.
// The replicas of a service share a name and a port and differ in their loopback address, so
// the suites run on Linux. It is imported by tests only, and asserts only that.
package fleet
