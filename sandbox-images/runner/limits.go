package main

import "time"

// Bounds of everything that a client, a policy or a proxy can make the runner hold. The container has 256 MiB for the
// proxy and the runner together.
const (
	// A policy file has at most 4 MiB, a GeoIP database 12; the tmpfs for them has the same size.
	configBytes = 16 << 20
	configFiles = 64

	// Twice what the guard inspects of one header, and more than any of the proxies accepts as a whole head.
	headBytes = 64 << 10
	// The longest target that the guard allows has 20 KiB; this is also the read buffer of one connection.
	lineBytes = 32 << 10
	// More than a probe sends; the backend shows requests and takes no uploads.
	bodyBytes = 1 << 20
	// Bodies held at once: 16 MiB in the worst case.
	largeBodies = 16
	// A probe adds a few decisions; a line of a gateway's events has at most 4 KiB.
	decisionsHeld = 256
	appendedBytes = 1 << 20
	// Out of the 16 MiB that the tmpfs has for everything; a suite writes a quarter of it.
	followedBytes = 4 << 20
	// Idle connections of a proxy count too: beyond half of it, a response closes its connection.
	connections = 256

	exchangeTimeout = 30 * time.Second
	// Longer than a tarpit holds a client by default, so that the gate does not end what the proxy keeps open.
	forwardIdle = 5 * time.Minute
	dialTimeout = 5 * time.Second

	// A cold start on a busy machine took 3 s.
	readyTimeout  = 60 * time.Second
	readyInterval = 5 * time.Millisecond
	// Unnoticeable for a person, and a thousandth of a processor.
	followInterval = 20 * time.Millisecond
	// Proxies must end within this time; then they are killed.
	stopGrace = 2 * time.Second
)
