// Package upgrade rehearses an upgrade from an earlier revision, under load: two replicas of
// everything, built from that revision's tree, on the schema that it migrates to. The present
// programs then take their places on that schema, leave again, migrate beneath the earlier
// ones, and take them for good. It holds that nobody notices (see package fleet), and that
// what was begun before each of these steps goes on after it.
//
// This is the rule that migrations are additive first: both the code before one and the code
// after it run on the schema before and after it. UPGRADE_FROM names the revision; without it
// the last commit is meant, or the one before if the last has the same migrations as the
// tree.
package upgrade
