//go:build linux

// Package comandos gives the built program an operator's commands, in a pseudo-terminal as a
// person does and in pipes as a script does. Nothing but the address of integracion is known
// to it: no database and no secret of the services.
package comandos
