// Package crash kills the processes of the built system, both databases and the simulated
// platform at random moments, slows and cuts the connections between them and moves the
// databases' clocks, all under mixed load, and holds that nothing acknowledged is lost,
// nothing is told that should not be, and nothing is told twice without a reason.
//
// A [Ledger] keeps what clients asked and were answered, and what reached the platform, all by
// one clock of this process. [Judge] says what that obliges the system to, by contract.md
// section 8 and pui.md section 3 alone: it shares no code with the services.
//
// The load and the faults of a round follow from its seed, -seed and the number of the round.
// -rounds says how many there are. It runs on Linux, where loopback has many addresses.
package crash
