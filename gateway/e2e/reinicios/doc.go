// Package reinicios restarts every process of the built system while a client asks without
// pause, and holds that it notices nothing: no request fails, nothing that was accepted is
// lost, and the platform is told each match once.
//
// The system has two replicas of both services and of the gateway, and before the gateways a
// balancer as real ones are: it sends to who says to be ready, and repeats nothing. The
// replicas of a service share a name and a port and differ in their loopback address, so the
// suite runs on Linux.
//
// -rondas says how often all of it is done.
package reinicios
