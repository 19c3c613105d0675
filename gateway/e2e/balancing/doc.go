// Package balancing holds that replicas share the work: calls spread evenly over those of a
// service, one that is added gets its part soon, and jobs run on all. The settings are the
// programs' own.
//
// The replicas of a service share a name and a port and differ in their loopback address, so
// the suite runs on Linux.
package balancing
