package engine

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
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
		}
	}
	e.readAtOnce(texts, true)
	v := &view{}
	var lines []string
	for i := 0; i < len(texts) && v.limit == ""; i++ {
		lines = e.readQueryText(v, lines, texts[i])
	}
	if v.limit == "" && pairs > limits.QueryPairs {
		v.limit = ReasonLimitQueryPairs
	}
	v.lines = strings.Join(lines, match.LineEnd)
	return e.inspect(target, queryKind, v), pairs
}

// readQueryText adds the candidates of a text, verbatim and with spaces in place of each plus, to a view and, as lines, to lines.
func (e *evaluation) readQueryText(v *view, lines []string, text string) []string {
	readings := []string{text}
	if strings.Contains(text, "+") {
		readings = append(readings, strings.ReplaceAll(text, "+", " "))
	}
	for i := 0; i < len(readings) && v.limit == ""; i++ {
		r := e.readingsOf(readings[i], limits.QueryBytes)
		v.limit = r.limit
		lines = gathered(v, lines, r)
	}
	return lines
}
