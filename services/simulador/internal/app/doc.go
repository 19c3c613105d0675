// Package app assembles the simulator: it makes the parts and connects them.
package app
