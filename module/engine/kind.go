package engine

// kind is the kind of a target. A rule applies to a set of kinds.
type kind uint8

const (
	pathKind = kind(1 << iota)
	queryKind
	bodyKind
)

var kindNames = []string{"path", "query", "body"}

func kindsOf(names []string) kind {
	var kinds kind
	for i, name := range kindNames {
		for _, n := range names {
			if n == name {
				kinds |= 1 << i
			}
		}
	}
	return kinds
}

func (k kind) String() string {
	for i, name := range kindNames {
		if k == 1<<i {
			return name
		}
	}
	return ""
}
