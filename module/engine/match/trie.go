package match

// trie has the literals of a Prefilter. The path from the root to a node spells the text of the node.
type trie struct {
	root  *node
	size  int     // number of nodes
	nodes []*node // by depth; linkSuffixes fills it
	count int     // number of patterns
}

type node struct {
	last     byte // last byte of the node's text
	children []*node
	suffix   *node // the node with the longest suffix of the node's text; nil for the root
	state    uint32
	marks    Set // patterns with a required literal that is a suffix of the node's text; nil: none
}

func newTrie(count int) *trie { return &trie{root: &node{}, size: 1, count: count} }

func (t *trie) add(literal string, pattern int) {
	n := t.root
	for i := 0; i < len(literal); i++ {
		child := n.childFor(literal[i])
		if child == nil {
			child = &node{last: literal[i]}
			n.children = append(n.children, child)
			t.size++
		}
		n = child
	}
	if n.marks == nil {
		n.marks = NewSet(t.count)
	}
	n.marks.Add(pattern)
}

// childFor returns the node whose text is the text of n followed by c. It returns nil if there is none.
func (n *node) childFor(c byte) *node {
	for _, child := range n.children {
		if child.last == c {
			return child
		}
	}
	return nil
}

// linkSuffixes sets the suffix of each node, from the root outwards, and adds the marks of the suffix to the node.
func (t *trie) linkSuffixes() {
	root := t.root
	queue := append(make([]*node, 0, t.size), root)
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		for _, child := range n.children {
			child.suffix = root
			if n != root {
				child.suffix = n.suffix.suffixAfter(child.last)
			}
			child.addSuffixMarks(t.count)
			queue = append(queue, child)
		}
	}
	t.nodes = queue
}

func (n *node) addSuffixMarks(count int) {
	if n.suffix.marks == nil {
		return
	}
	if n.marks == nil {
		n.marks = NewSet(count)
	}
	n.marks.AddAll(n.suffix.marks)
}

// suffixAfter returns the longest node whose text is a suffix of the text of n followed by c.
func (n *node) suffixAfter(c byte) *node {
	for ; n != nil; n = n.suffix {
		if child := n.childFor(c); child != nil {
			return child
		}
		if n.suffix == nil {
			return n
		}
	}
	return nil
}
