// Package upgrade rehearses an upgrade from an earlier revision, under load: two replicas of
// everything, built from that revision's tree, on the schema that it migrates to. The present
// ones migrate beneath the earlier ones, take their places, give them back, and take them for
// good. It holds that nobody notices (see package fleet), and that what was begun before each
// of these steps goes on after it.
//
// This is the rule that migrations are additive: the code before one runs on the schema before
// and after it. The code after it takes no work before it is through. UPGRADE_FROM names the revision; without it
// the last commit is meant, or the one before if the last has the same migrations as the
// tree.
package upgrade
