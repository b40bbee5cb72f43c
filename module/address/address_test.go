package address

import (
	"net/netip"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.1":              "192.0.2.1",
		"2001:DB8::1":            "2001:db8::1",
		"::ffff:192.0.2.1":       "192.0.2.1",
		"::ffff:c000:201":        "192.0.2.1",
		"::192.0.2.1":            "::c000:201",
		"1:2:3:4:5:6:7::":        "1:2:3:4:5:6:7:0",
		"1:2:3:4:5:6:192.0.2.1":  "1:2:3:4:5:6:c000:201",
		"010.0.0.1":              "",
		"10.1":                   "",
		"192.0.2.256":            "",
		"fe80::1%eth0":           "",
		"::ffff:192.0.2.01":      "",
		"1:2:3:4:5:6:7:8:9":      "",
		"1:2:3:4:5:6:7::8":       "",
		"1::2:3:4:5:6:7:8":       "",
		"12345::":                "",
		"[::1]":                  "",
		" 192.0.2.1":             "",
		"":                       "",
		"1.2.3.4.5":              "",
		"::1:2:3:4:5:6:7:8":      "",
		":1:2:3:4:5:6:7:8":       "",
		"1::2::3":                "",
		"0x7f.0.0.1":             "",
		"192.0.2.1\n":            "",
		"::ffff:192.0.2.1:1":     "",
		"ffff:ffff::192.0.2.256": "",
	} {
		a, ok := Parse(text)
		if ok != (want != "") || ok && a.String() != want {
			t.Errorf("%q: got %v %v, want %q", text, a, ok, want)
		}
	}
}

func TestParseNetwork(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.77/24":        "192.0.2.0/24",
		"192.0.2.1":            "192.0.2.1/32",
		"2001:db8::1":          "2001:db8::1/128",
		"2001:db8::ff/32":      "2001:db8::/32",
		"::ffff:10.0.0.1/104":  "10.0.0.0/8",
		"::ffff:10.0.0.1":      "10.0.0.1/32",
		"0.0.0.0/0":            "0.0.0.0/0",
		"::ffff:10.0.0.1/95":   "",
		"10.0.0.0/33":          "",
		"10.0.0.0/08":          "",
		"10.0.0.0/":            "",
		"10.0.0.0/8/8":         "",
		"10.0.0.0/-1":          "",
		"10.0.0.0/+8":          "",
		"2001:db8::/129":       "",
		"example.com/8":        "",
		"10.0.0.0/255.0.0.0":   "",
		"2001:db8::%eth0/32":   "",
		"::ffff:10.0.0.1/1000": "",
	} {
		p, ok := ParseNetwork(text)
		if ok != (want != "") || ok && p.String() != want {
			t.Errorf("%q: got %v %v, want %q", text, p, ok, want)
		}
	}
}

func TestParseForwarded(t *testing.T) {
	for entry, want := range map[string]string{
		"192.0.2.1":             "192.0.2.1",
		"192.0.2.1:443":         "192.0.2.1",
		"[2001:db8::1]":         "2001:db8::1",
		"[2001:db8::1]:443":     "2001:db8::1",
		"[::ffff:192.0.2.1]:80": "192.0.2.1",
		"[192.0.2.1]":           "192.0.2.1",
		"2001:db8::1":           "2001:db8::1",
		"192.0.2.1:":            "",
		"192.0.2.1:123456":      "",
		"[2001:db8::1":          "",
		"[2001:db8::1]443":      "",
		"unknown":               "",
		"_hidden:80":            "",
		"":                      "",
	} {
		a, ok := ParseForwarded(entry)
		if ok != (want != "") || ok && a.String() != want {
			t.Errorf("%q: got %v %v, want %q", entry, a, ok, want)
		}
	}
}

func networks(t *testing.T, texts ...string) []netip.Prefix {
	t.Helper()
	var list []netip.Prefix
	for _, text := range texts {
		p, ok := ParseNetwork(text)
		if !ok {
			t.Fatal(text)
		}
		list = append(list, p)
	}
	return list
}

func TestSet(t *testing.T) {
	s := NewSet(networks(t, "10.0.0.0/8", "10.1.0.0/16", "192.0.2.7", "2001:db8::/32"))
	for text, want := range map[string]bool{
		"10.200.0.1": true, "11.0.0.1": false, "192.0.2.7": true, "192.0.2.8": false,
		"2001:db8:1::1": true, "2001:db9::1": false, "::a00:1": false,
	} {
		a, _ := Parse(text)
		if s.Contains(a) != want {
			t.Errorf("%s: got %v", text, !want)
		}
	}
	if s.Contains(netip.Addr{}) || NewSet(nil).Contains(netip.MustParseAddr("::1")) {
		t.Error("the zero Addr is in a set, or an address is in the empty set")
	}
}

func TestNetworkOf(t *testing.T) {
	for client, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "2001:db8:0:1:ffff::1": "2001:db8:0:1::/64", "::1": "::/64", "": "", "name": "name",
		"64:ff9b::c000:201": "64:ff9b::c000:201", "64:ff9b::192.0.2.1": "64:ff9b::c000:201", "::ffff:192.0.2.1": "192.0.2.1",
		"64:ff9b:1:2::c000:201": "64:ff9b:1:2::c000:201", "64:ff9a::1": "64:ff9a::/64", "64:ff9c::1": "64:ff9c::/64",
	} {
		if got := NetworkOf(client, ClientBits); got != want {
			t.Errorf("%s: got %s, want %s", client, got, want)
		}
	}
}
