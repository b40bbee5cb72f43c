package interpreted

import (
	"strings"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// scan has the candidates of the texts of a body, each with a length in bytes and a limit as in a view of package engine.
type scan struct {
	candidates []map[string]bool // for each text that was read
	sizes      []int             // bytes of the candidates of each text
	limits     []string          // reason code of the limit that ended the candidates of each text; empty: they are complete
	lines      []string          // candidates of all texts
	unlimited  int               // number of texts of the current batch that reached no limit so far
	isPath     bool              // the only text is a path
}

// batchBytes is the size at which a batch of texts ends. A text has up to 130 readings, so the candidates of a batch have
// at most about twice limits.RequestBytes.
const batchBytes = 4096

// scanTexts implements Steps.Scan of package engine for texts without repetitions.
func scanTexts(patterns *search, texts []string) (clean map[string]engine.Scanned, isClean bool) {
	s := &scan{}
	s.readAll(texts)
	found, isComplete := patterns.matchesIn(s.lines)
	if !isComplete {
		return nil, false
	}
	clean = map[string]engine.Scanned{}
	for i, candidates := range s.candidates {
		if len(found) == 0 || !isMatched(candidates, found) {
			clean[texts[i]] = engine.Scanned{Size: s.sizes[i], Limit: s.limits[i]}
		}
	}
	return clean, len(found) == 0
}

// isMatched reports whether a rule matches one of the candidates, also without its final slashes.
func isMatched(candidates, found map[string]bool) bool {
	for candidate := range candidates {
		if found[candidate] || found[strings.TrimRight(candidate, "/")] {
			return true
		}
	}
	return false
}

// read implements Steps.Read of package engine.
func read(value string, isPath bool) (candidates []string, limit string) {
	if isPlain(value) && !(isPath && engine.IsRouted([]byte(value))) {
		return []string{value}, ""
	}
	s := &scan{isPath: isPath}
	s.readBatch([]string{value}, 0)
	return s.lines, s.limits[0]
}

// readAll reads texts in batches until their candidates exceed limits.RequestBytes.
func (s *scan) readAll(texts []string) {
	first, size, all := 0, 0, 0
	for i, text := range texts {
		if size += len(text); size < batchBytes && i < len(texts)-1 {
			continue
		}
		s.readBatch(texts[first:i+1], first)
		for ; first <= i; first++ {
			all += s.sizes[first]
		}
		if all > limits.RequestBytes {
			return
		}
		size = 0
	}
}

func (s *scan) readBatch(texts []string, first int) {
	for range texts {
		s.candidates = append(s.candidates, map[string]bool{})
		s.sizes = append(s.sizes, 0)
		s.limits = append(s.limits, "")
	}
	s.unlimited = len(texts)
	for _, i := range s.addAll(linesOf(texts, first)) {
		if s.limits[i] == "" {
			s.limits[i] = engine.ReasonLimitDecodeRounds
		}
	}
}

// add adds candidates like view.append of package engine. It returns false if each text of the batch reached a limit.
func (s *scan) add(l lines) bool {
	for i, candidate := range strings.Split(escaped(l.text), match.LineEnd) {
		text := l.values[i]
		if s.candidates[text][candidate] || s.limits[text] != "" {
			continue
		}
		if s.sizes[text]+len(candidate) > limits.ViewBytes {
			s.limits[text] = engine.ReasonLimitCandidates
			s.unlimited--
			continue
		}
		s.candidates[text][candidate] = true
		s.sizes[text] += len(candidate)
		s.lines = append(s.lines, candidate)
	}
	return s.unlimited > 0
}
