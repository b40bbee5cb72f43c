package interpreted

import "github.com/request-guard/guard/limits"

// queryReadings implements Steps.QueryReadings of package engine.
func queryReadings(query string) []string {
	var readings []string
	l := linesOf([]string{query}, 0)
	for round := 0; len(l.values) > 0 && round <= limits.DecodeRounds; round++ {
		readings = append(readings, escaped(l.text))
		l = l.changed(decodedLines(l.text))
	}
	return readings
}
