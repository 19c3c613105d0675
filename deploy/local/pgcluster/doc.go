// Package pgcluster runs a private PostgreSQL: found on this machine or brought to it, with a data folder, a port and a
// password of its own.
//
// It owns the server from initdb to its orderly end and shares nothing with any other server of the machine. It does not
// own databases, roles or schemas: whoever starts a cluster gets the superuser's address and makes those. One launcher at
// a time may use a folder; the caller sees to that.
//
// PostgreSQL refuses to run as root, so root runs it as another account (account.go), which decides where the data can
// lie (home.go). Start reading at Start; StartCitus makes several of them one cluster.
package pgcluster
