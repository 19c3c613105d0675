// Package outage kills workers of the cluster over which the databases are spread, while
// institutions send and the platform asks, and holds that those of other workers notice
// nothing, that those of the killed one are told to come again until it is back, and that
// nothing acknowledged is lost. It tests; nothing imports it.
package outage
