// Package tracing is where every program's traces begin and leave it: a nil [Tracing] is
// one that is off, costs nothing and may be used like any other.
//
// A trace follows a request from the gateway over the services and their jobs to the call
// of the platform, and no further. Between our programs it is carried by traceparent alone,
// neither state nor baggage, and what leaves a program is a closed list: see [Start].
package tracing
