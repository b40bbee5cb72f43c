package engine

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// An interpreter runs these functions on several values at once: one interpreted step costs as much as the calls of
// the standard library for several values. Most values pass the prefilter.

// A batch of values of a body has at most this many, and about this many bytes.
const (
	bodyBatchValues = 256
	bodyBatchBytes  = 32768
)

var (
	valueOddities = strings.NewReplacer(valueOdds()...)
	onlyPairMarks = match.Keeping("&=")
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
	if len(valueOddities.Replace(whole)) < len(whole) || base64Line.MatchString(lines) || e.mayMatch(lines) {
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
	return !hasTwoEquals(pairs) && !strings.Contains("&"+pairs, "&file=") && e.passesLines(queryLines.Replace(pairs), count+strings.Count(pairs, "="))
}

// hasTwoEquals reports whether a pair has more than one =.
func hasTwoEquals(pairs string) bool { return strings.Contains(onlyPairMarks(pairs), "==") }

func batchOf(left, most int) int {
	if left < most {
		return left
	}
	return most
}

// inspectValues inspects values that are not empty. Those of batches that do not pass are matched at once.
func (b *bodyInspection) inspectValues(values []string) {
	if b.matched == nil && b.passesValues(values) {
		return
	}
	var lines []string
	for len(values) > 0 && !b.isDone {
		size := bodyBatchSize(values)
		batch := values[:size]
		values = values[size:]
		if !b.passesValues(batch) {
			b.readAtOnce(batch, b.isForm)
			lines = b.readBatch(lines, batch)
		}
		if b.matched != nil {
			b.inspectGathered(lines)
			lines = []string{}
		}
	}
	b.inspectGathered(lines)
}

// inspectGathered matches the candidates of several values.
func (b *bodyInspection) inspectGathered(lines []string) {
	if b.evaluation.inspect("body", bodyKind, b.gathered(lines)) {
		b.isBlocked, b.isDone = true, true
	}
}

func bodyBatchSize(values []string) int {
	size, bytes := 0, 0
	for size < len(values) && size < bodyBatchValues && bytes < bodyBatchBytes {
		bytes += len(values[size])
		size++
	}
	return size
}

// passesValues is passesLines for values of a body.
func (b *bodyInspection) passesValues(values []string) bool {
	lines, used := strings.Join(values, match.LineEnd), b.words.used
	if !b.passesLines(lines, len(values)) {
		return false
	}
	counted := notWords(lines)
	if b.counted+counted > limits.BodyValues {
		b.words.used = used
		return false
	}
	b.counted += counted
	b.values += len(values)
	b.size += len(lines) - len(values) + 1
	return true
}

// readBatch appends the candidates of several values.
func (b *bodyInspection) readBatch(lines, values []string) []string {
	for i := 0; i < len(values) && !b.isDone; i++ {
		value := values[i]
		line, isRead := "", false
		if b.counted < limits.BodyValues {
			line, isRead = linesOfRead(b.evaluation, value)
		}
		switch {
		case isRead:
			b.counted++
			b.values++
			b.size += len(value)
			lines = b.withSpaces(append(lines, line), value)
		case b.takesWord(value):
			lines = append(lines, value)
		default:
			lines = b.readTo(lines, value)
		}
	}
	return lines
}

// takesWord counts the bytes of a word that reaches no limit.
func (b *bodyInspection) takesWord(value string) bool {
	if !isWordText(value) || base64Line.MatchString(value) || len(value) > limits.ViewBytes || b.words.used+len(value) > limits.RequestBytes {
		return false
	}
	b.words.used += len(value)
	b.values++
	b.size += len(value)
	return true
}

// readTo appends the candidates of a value. A limit that ends the inspection keeps those before it.
func (b *bodyInspection) readTo(lines []string, value string) []string {
	if !isWordText(value) && !b.charge() {
		return lines
	}
	if len(value) > limits.BodyValueBytes {
		b.reached(OverflowValue)
		value = value[:limits.BodyValueBytes]
	}
	b.values++
	b.size += len(value)
	return b.withSpaces(b.readingTo(lines, value), value)
}

// withSpaces appends the candidates of a value of a form in which each plus is a space.
func (b *bodyInspection) withSpaces(lines []string, value string) []string {
	if b.isForm && !b.isDone && strings.Contains(value, "+") {
		return b.readingTo(lines, strings.ReplaceAll(value, "+", " "))
	}
	return lines
}

func (b *bodyInspection) readingTo(lines []string, text string) []string {
	if line, isRead := linesOfRead(b.evaluation, text); isRead {
		return append(lines, line)
	}
	r := b.limitedReadingsOf(text, limits.BodyValueBytes)
	b.isDone = b.isSpent(r.limit)
	return withLines(lines, r)
}
