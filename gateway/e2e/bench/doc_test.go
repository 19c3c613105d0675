// Package bench measures the built system as its users meet it; `make bench` prints the
// figures.
package bench
