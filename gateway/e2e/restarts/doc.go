// Package restarts restarts every process of the built system while a client asks without
// pause, and holds that it notices nothing; see package fleet, which does the asking.
//
// -rounds says how often all of it is done.
package restarts
