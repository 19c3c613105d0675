// Package mtls holds that a system whose every connection is TLS, and whose services take
// calls only from certificates of their own authority, works as one without, and lets nobody
// else in. The authorities are made for the run. It tests; nothing imports it.
package mtls
