package engine

import (
	"strings"

	"github.com/request-guard/guard/limits"
)

// inspectPairsAtOnce is inspectPairs for an interpreter, which matches all keys and values at once.
func (e *evaluation) inspectPairsAtOnce(target, query string, before int) (isBlocked bool, pairs int) {
	all := strings.Split(query, "&")
	if before+len(all) <= limits.QueryPairs && e.passesPairs(query, len(all)) {
		return false, before + len(all)
	}
	pairs = before
	for most := fewPairs; len(all) > 0 && !isBlocked; most = limits.QueryPairs {
		size := batchOf(len(all), most)
		isBlocked, pairs = e.inspectPairTexts(target, all[:size], pairs)
		all = all[size:]
	}
	return isBlocked, pairs
}

// fewPairs are matched before the others: most queries that are blocked have no more.
const fewPairs = 16

func (e *evaluation) inspectPairTexts(target string, all []string, before int) (isBlocked bool, pairs int) {
	var texts []string
	pairs = before
	for i := 0; i < len(all) && pairs <= limits.QueryPairs; i++ {
		if all[i] == "" {
			continue
		}
		if pairs++; pairs <= limits.QueryPairs {
			texts = append(texts, strings.SplitN(all[i], "=", 2)...)
			if isFilePair(all[i]) {
				texts = append(texts, all[i])
			}
		}
	}
	e.readAtOnce(texts, true)
	var lines []string
	limit := ""
	for i := 0; i < len(texts) && limit == ""; i++ {
		lines, limit = e.readQueryText(lines, texts[i])
	}
	if limit == "" && pairs > limits.QueryPairs {
		limit = ReasonLimitQueryPairs
	}
	v := e.gathered(lines)
	v.limit = limit
	return e.inspect(target, queryKind, v), pairs
}

// readQueryText appends the candidates of a text, verbatim and with spaces in place of each plus. It returns the limit that was
// reached.
func (e *evaluation) readQueryText(lines []string, text string) (all []string, limit string) {
	readings := []string{text}
	if strings.Contains(text, "+") {
		readings = append(readings, strings.ReplaceAll(text, "+", " "))
	}
	for i := 0; i < len(readings) && limit == ""; i++ {
		r := e.readingsOf(readings[i], limits.QueryBytes)
		limit = r.limit
		lines = withLines(lines, r)
	}
	return lines, limit
}
