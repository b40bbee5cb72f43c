package main

import (
	"os"
	"strconv"
	"strings"
)

// oomCounters are the files of cgroup v2 and v1 that count the processes of this container that the kernel killed for
// lack of memory.
var oomCounters = []string{"/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"}

// oomKills returns how many processes the kernel killed, or 0 when no counter is readable. The exit is then reported as a
// plain kill.
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
