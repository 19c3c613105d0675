// Package app puts integracion together from its parts: as the service that runs, and as
// what an operator's command works with. It holds the settings and no rule.
package app
