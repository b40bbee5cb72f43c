package main

import "time"

// Bounds of everything that a client, a policy or a proxy can make the runner hold. The container has 256 MiB for
// the proxy and the runner together.
const (
	// A policy file is at most 4 MiB, a GeoIP database 12; the tmpfs that they are unpacked into has as much.
	configBytes = 16 << 20
	configFiles = 64

	// Twice what the guard inspects of one header, and more than any of the proxies takes for a whole head.
	headBytes = 64 << 10
	// The longest target the guard lets through has 20 KiB; this is also the read buffer of one connection.
	lineBytes = 32 << 10
	// Above what a probe sends; the backend is here to show requests, not to take uploads.
	bodyBytes = 1 << 20
	// Bodies held at once: 16 MiB in the worst case.
	largeBodies = 16
	// What a probe makes known is a handful, and a line of a gateway's events has 4 KiB at most.
	decisionsHeld = 256
	appendedBytes = 1 << 20
	// Of the 16 MiB that the tmpfs has for everything; a suite writes a fourth of it.
	followedBytes = 4 << 20
	// Idle connections of a proxy count here too: past half of it an answer closes its connection.
	connections = 256

	exchangeTimeout = 30 * time.Second
	// Longer than a tarpit holds a client by default, so that the gate never ends what the proxy keeps open.
	forwardIdle = 5 * time.Minute
	dialTimeout = 5 * time.Second

	// A cold start on a busy machine took 3 s.
	readyTimeout  = 60 * time.Second
	readyInterval = 5 * time.Millisecond
	// Shorter than a person notices, and a thousandth of a processor.
	followInterval = 20 * time.Millisecond
	// Proxies are told to end within one second; then they are killed.
	stopGrace = 2 * time.Second
)
