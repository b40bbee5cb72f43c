package match

import (
	"bytes"
	"sync"
	"testing"
)

// isEqual reports whether two tables decide alike about every text: it follows all pairs of rows that a text can lead to.
func (t *table) isEqual(other *table) bool {
	type pair struct{ row, other int }
	start := pair{int(t.start) / t.width, int(other.start) / other.width}
	pairs, isKnown := []pair{start}, map[pair]bool{start: true}
	for i := 0; i < len(pairs); i++ {
		p := pairs[i]
		if t.ends[p.row] != other.ends[p.other] || (p.row == acceptedRow) != (p.other == acceptedRow) {
			return false
		}
		if p.row <= acceptedRow {
			continue
		}
		for c := firstByte; c <= lastByte; c++ {
			next := pair{
				int(t.next[p.row*t.width+int(t.class[c])]) / t.width,
				int(other.next[p.other*other.width+int(other.class[c])]) / other.width,
			}
			if !isKnown[next] {
				isKnown[next] = true
				pairs = append(pairs, next)
			}
		}
	}
	return t.backward == other.backward
}

func TestGeneratedTablesDecideLikeBuiltOnes(t *testing.T) {
	for _, m := range builtInMatchers(t) {
		built := matcher(t, m.source)
		m.decode()
		if len(m.tables) != len(built.tables) || !m.exact || !built.exact {
			t.Fatalf("%s has other tables: run go generate ./builtin", m.source)
		}
		for i, table := range built.tables {
			if !table.isEqual(m.tables[i]) {
				t.Errorf("%s matches other texts: run go generate ./builtin", m.source)
			}
		}
	}
}

func TestEncodedTablesDecideLikeTheirPattern(t *testing.T) {
	for _, source := range patterns {
		built := matcher(t, source)
		encoded := built.Encode()
		if (encoded != "") != built.exact {
			t.Errorf("%s: exact is %v, and %d bytes are encoded", source, built.exact, len(encoded))
		}
		for i, table := range decodeTables(encoded) {
			if !built.tables[i].isEqual(table) {
				t.Errorf("%s: table %d matches other texts", source, i)
			}
			if len(table.ends) > len(built.tables[i].ends) {
				t.Errorf("%s: table %d has grown to %d rows", source, i, len(table.ends))
			}
		}
	}
}

// TestOnlyTheFirstMatchDecodesTables would fail if a start of Caddy decoded tables of rules that no request needs.
func TestOnlyTheFirstMatchDecodesTables(t *testing.T) {
	matchers := builtInMatchers(t)
	suspects := NewSet(len(matchers))
	NewPrefilter(matchers).Scan([]byte("/.env"), suspects)
	matchers[0].Match([]byte("/.env"))
	for i, m := range matchers {
		if (m.tables != nil) != (i == 0) {
			t.Errorf("%s has %d tables", m.source, len(m.tables))
		}
	}
}

// TestConcurrentFirstMatchesDecodeOnce runs in the race detector.
func TestConcurrentFirstMatchesDecodeOnce(t *testing.T) {
	matchers := builtInMatchers(t)
	first := make([]*table, len(matchers))
	for i, m := range builtInMatchers(t) {
		m.decode()
		first[i] = m.tables[0]
	}
	const readers = 8
	seen := make([][]*table, readers)
	var start, all sync.WaitGroup
	start.Add(1)
	for reader := range readers {
		all.Add(1)
		go func() {
			defer all.Done()
			start.Wait()
			for i, m := range matchers {
				text := bytes.Repeat([]byte("/a.sql"), 9)
				if m.Match(text) != first[i].match(text) && len(m.tables) == 1 {
					t.Errorf("%s decides otherwise", m.source)
				}
				seen[reader] = append(seen[reader], m.tables[0])
			}
		}()
	}
	start.Done()
	all.Wait()
	for _, tables := range seen[1:] {
		for i := range tables {
			if tables[i] != seen[0][i] {
				t.Errorf("%s was decoded twice", matchers[i].source)
			}
		}
	}
}

// BenchmarkDecode decodes the tables of all built-in rules: the most that the requests of a process pay for tables together.
func BenchmarkDecode(b *testing.B) {
	matchers := builtInMatchers(b)
	b.ReportAllocs()
	for range b.N {
		for _, m := range matchers {
			decodeTables(m.encoded)
		}
	}
}
