package main

import "time"

// Bounds on what a client, a policy or a proxy can make the runner keep. Proxy and runner share 512 MiB.
const (
	// A policy file has at most 4 MiB, a GeoIP database 12 MiB. The tmpfs for them has this size.
	configBytes = 16 << 20
	configFiles = 64

	// Several of the longest lines, and the headers that a proxy adds.
	headBytes = 256 << 10
	// A case of a suite has targets and header values of up to 64 KiB, and a proxy adds to them. Also the read buffer of one
	// connection: 24 MiB for all.
	lineBytes = 96 << 10
	// More than a probe sends. The backend shows requests and accepts no uploads.
	bodyBytes = 1 << 20
	// Bodies in memory at the same time: 20 MiB with their heads in the worst case.
	largeBodies = 16
	// Probes add only a few decisions. A line of a gateway's events has at most 4 KiB.
	decisionsHeld = 256
	appendedBytes = 1 << 20
	// A quarter of the tmpfs. A probe set writes a quarter of this.
	followedBytes = 4 << 20
	// Includes idle connections of a proxy. Above half of this number, each response closes its connection.
	connections = 256

	exchangeTimeout = 30 * time.Second
	// Longer than the default of a tarpit, so that the gate does not end a connection that the proxy keeps open.
	forwardIdle = 5 * time.Minute
	dialTimeout = 5 * time.Second

	// A cold start on a busy machine took 3 s.
	readyTimeout  = 60 * time.Second
	readyInterval = 5 * time.Millisecond
	// A person does not notice the delay, and polling takes a thousandth of a processor.
	followInterval = 20 * time.Millisecond
	// A proxy that has not ended after this time is killed.
	stopGrace = 2 * time.Second
)
