// Package outage takes the databases away in part while institutions send and the platform asks. It
// kills workers of the cluster over which they are spread, and holds that institutions of other
// workers notice nothing; it fills the disk of a single server. In both, institutions whose database
// cannot write are told to come again until it can, and nothing acknowledged is lost. It tests;
// nothing imports it.
package outage
