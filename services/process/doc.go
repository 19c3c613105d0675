// Package process is how every Enlace program starts, is observed and stops: settings
// from the environment, structured logs, signals, the operations port and an ordered
// shutdown. Traces are package tracing's, certificates are package certs', and
// connections between programs are package grpcclient's. It knows nothing of what the programs do.
//
// A program reads top to bottom: [Main] calls its run function with a context that ends
// on SIGINT or SIGTERM; run loads its settings with [Load], starts its parts and pushes
// each part's stop onto a [Cleanups], which undoes them in reverse order.
package process
