// Package reinicios restarts every process of the built system while a client asks without
// pause, and holds that it notices nothing; see package fleet, which does the asking.
//
// -rondas says how often all of it is done.
package reinicios
