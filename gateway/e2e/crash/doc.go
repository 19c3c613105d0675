// Package crash kills the processes of the built system, both databases and the simulated
// platform at random moments, slows and cuts the connections between them and moves the
// databases' clocks, all under mixed load, and holds that nothing acknowledged is lost,
// nothing is told that should not be, and nothing is told twice without a reason.
//
// A [Ledger] keeps what clients asked and were answered, and what reached the platform, all by
// one clock of this process. Institutions are loading when they are met, and end their initial
// load in the middle of their first round. [Judge] says what that obliges the system to, by contract.md
// section 8 and pui.md section 3 alone: it shares no code with the services.
//
// The load and the faults of a round follow from its seed and its number: n rounds from -seed
// on are the same again, -rounds says how many there are. A round begins when most of the load
// of the one before has been sent, so that it meets what is still being told of it.
//
// The programs are built without the race detector, which would leave fewer kills to an hour;
// the other suites look for data races. It runs on Linux, where loopback has many addresses.
package crash
