package address

import "net/netip"

// Set is a list of networks. Contains makes at most one look-up for each prefix length in the list.
type Set struct {
	lengths  [2][]int // prefix lengths of the IPv4 and of the IPv6 networks
	networks map[netip.Prefix]bool
}

// NewSet makes a set of masked networks, such as ParseNetwork returns.
func NewSet(networks []netip.Prefix) *Set {
	s := &Set{networks: make(map[netip.Prefix]bool, len(networks))}
	seen := map[[2]int]bool{}
	for _, n := range networks {
		s.networks[n] = true
		f := familyOf(n.Addr())
		if !seen[[2]int{f, n.Bits()}] {
			seen[[2]int{f, n.Bits()}] = true
			s.lengths[f] = append(s.lengths[f], n.Bits())
		}
	}
	return s
}

func familyOf(a netip.Addr) int {
	if a.Is4() {
		return 0
	}
	return 1
}

func (s *Set) Empty() bool { return len(s.networks) == 0 }

// Contains reports whether a is in one of the networks. The zero Addr is in none.
func (s *Set) Contains(a netip.Addr) bool {
	if !a.IsValid() || s.Empty() {
		return false
	}
	for _, length := range s.lengths[familyOf(a)] {
		if p, err := a.Prefix(length); err == nil && s.networks[p] {
			return true
		}
	}
	return false
}
