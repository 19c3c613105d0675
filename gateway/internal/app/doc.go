// Package app assembles the gateway: it makes the parts and connects them. Nothing is decided here.
package app
