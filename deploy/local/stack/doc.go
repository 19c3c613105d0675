// Package stack runs all of Enlace on one machine, from built binaries: a private PostgreSQL (or a given one), the two
// services, the gateway and the platform's simulator, every one a process of its own on loopback.
//
// It owns the processes, their addresses, their databases and their secrets, so that the local run and the end-to-end
// tests start the same thing. It does not own what is in the system once it runs: institutions and keys are package
// demo's. Parts start in an order in which each finds what it needs and stop in the reverse one; every one can be killed
// and started again at its old address.
package stack
