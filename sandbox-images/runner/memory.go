package main

import (
	"os"
	"strconv"
	"strings"
)

// oomCounters are the files in which the kernel counts the processes of this container that it killed for lack of
// memory (cgroup v2 and v1).
var oomCounters = []string{"/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"}

// oomKills returns how many processes the kernel killed, or 0 when no counter is readable.
func oomKills() int {
	for _, path := range oomCounters {
		if text, err := os.ReadFile(path); err == nil {
			return oomKillsIn(string(text))
		}
	}
	return 0
}

func oomKillsIn(text string) int {
	for _, line := range strings.Split(text, "\n") {
		if value, found := strings.CutPrefix(line, "oom_kill "); found {
			count, _ := strconv.Atoi(strings.TrimSpace(value))
			return count
		}
	}
	return 0
}
