package engine

import (
	"regexp"
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// An interpreter runs these functions on several values at once: one interpreted step costs as much as the calls of
// the standard library for several values. Most values pass the prefilter.

// batchValues is the size of a batch. A value that does not pass sends its whole batch to the evaluation of single
// values.
const batchValues = 16

var (
	valueOddities = strings.NewReplacer(valueOdds()...)
	twoEquals     = regexp.MustCompile(`=[^&]*=`)
	queryLines    = strings.NewReplacer("&", match.LineEnd, "=", match.LineEnd)
)

// valueOdds are the oddities of values between line ends. A plus counts, because it has two readings.
func valueOdds() []string {
	pairs := []string{"+", "", ".\n", "", " \n", ""}
	for _, odd := range oddities() {
		if odd != "" && odd != match.LineEnd {
			pairs = append(pairs, odd, "")
		}
	}
	return pairs
}

// passesLines reports whether each of some values, with line ends between them, has one reading and matches no rule.
// If so, it counts their bytes as those of candidates.
func (e *evaluation) passesLines(lines string, count int) bool {
	bytes := len(lines) - count + 1 // without line ends
	if strings.Count(lines, match.LineEnd) != count-1 || len(lines) > limits.ViewBytes || e.words.used+bytes > limits.RequestBytes {
		return false
	}
	whole := lines + match.LineEnd
	if len(valueOddities.Replace(whole)) < len(whole) || e.rules.interpreted.Whole(lines) != "" {
		return false
	}
	e.words.used += bytes
	return true
}

// passesPairs does the same for pairs of a query or form.
func (e *evaluation) passesPairs(pairs string, count int) bool {
	if pairs == "" || strings.Contains(pairs, "&&") || strings.HasPrefix(pairs, "&") || strings.HasSuffix(pairs, "&") {
		return false // an empty pair is not a value
	}
	return !twoEquals.MatchString(pairs) && e.passesLines(queryLines.Replace(pairs), count+strings.Count(pairs, "="))
}

func batchOf(left int) int {
	if left < batchValues {
		return left
	}
	return batchValues
}

// inspectBatches is inspectPairs for a whole query.
func (e *evaluation) inspectBatches(target, query string) bool {
	all := strings.Split(query, "&")
	if len(all) <= limits.QueryPairs && e.passesPairs(query, len(all)) {
		return false
	}
	pairs, isBlocked := 0, false
	for len(all) > 0 && !isBlocked {
		size := batchOf(len(all))
		batch := strings.Join(all[:size], "&")
		all = all[size:]
		if pairs+size <= limits.QueryPairs && e.passesPairs(batch, size) {
			pairs += size
		} else {
			isBlocked, pairs = e.inspectPairs(target, batch, pairs)
		}
	}
	return isBlocked
}

// inspectForm is eachFormValue with the inspection of each value.
func (b *bodyInspection) inspectForm(body string) {
	all := strings.Split(body, "&")
	for len(all) > 0 && !b.isDone {
		size := batchOf(len(all))
		batch := strings.Join(all[:size], "&")
		all = all[size:]
		count := size + strings.Count(batch, "=")
		if b.count+count <= limits.BodyValues && b.passesPairs(batch, size) {
			b.count += count
		} else {
			eachFormValue([]byte(batch), b.value)
		}
	}
}

// inspectValues inspects the values of a body that is not a form.
func (b *bodyInspection) inspectValues(values []string) {
	for len(values) > 0 && !b.isDone {
		size := batchOf(len(values))
		batch := values[:size]
		values = values[size:]
		if b.count+size <= limits.BodyValues && b.passesLines(strings.Join(batch, match.LineEnd), size) {
			b.count += size
			continue
		}
		for _, value := range batch {
			if !b.value([]byte(value)) {
				return
			}
		}
	}
}
