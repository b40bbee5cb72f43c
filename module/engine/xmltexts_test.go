package engine

import (
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// xmlPieces are what decides how a body is read.
var xmlPieces = strings.Split(`<|>|<a>|</a>|<b/>|<a b="|"|'|"/>| = |=|<!--|-->|--|-|<!|<!DOCTYPE a [|]>|<?|?>|?|<?xml version="1.0" encoding="|`+
	`<?xml encoding = 'utf-7|UTF-8|encoding='x'|<![CDATA[|]]>|]]|&|&amp;|&lt;|&#38;|#46;|&#46;|&#x2E;|&#X2e;|&#046;|&#xD800;|&#233;|&#10;|&#xb;|&#5|;|6|&sol;|<!ENTITY x '|<!ENTITY % x "|&#34;|&#38;#39;|&#38;#38;|&#38;lt;|`+
	`x|y z|.|/|`+"\xc3\xa9|\xef\xbb\xbf|\xff|\n|\r\n|\t|\v|\v\v|\f|\v0|\v1\v2|\x00| |\t x \n", "|")

// xmlElementPieces are what decides which texts are joined.
var xmlElementPieces = strings.Split("<a>|</a>|<b/>|<c d='/'>|x|y/>|\n |<!e>|<![CDATA[z]]>|<!---->|\x02", "|")

// xmlMixedBodies each have a text whose element has other elements.
var xmlMixedBodies = []string{"<a><b>x</b><c/>y</a>", "<a><b>x</b><!e>y</a>", "<a><b>x</b>y</a>", "<a>x/><b>y</b></a>", "<a>x<b/>y</a>", "<a>\x02<b>x</b>y"}

func TestTheValuesOfXMLAreFoundInOnePassToo(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	values, clear, cut := 0, 0, 0
	for i := range 50_000 {
		var b strings.Builder
		pieces := xmlPieces
		if r.Intn(3) == 0 {
			pieces = xmlElementPieces
		}
		for n := r.Intn(12); n > 0; n-- {
			b.WriteString(pieces[r.Intn(len(pieces))])
		}
		body := b.String()
		if r.Intn(2) == 0 {
			body = "<a>" + body + "</a>"
		}
		if r.Intn(500) == 0 { // more than is joined
			body = strings.Repeat("<a>"+strings.Repeat(".", r.Intn(99))+"\n", 1000) + body
		}
		if i < len(xmlMixedBodies) {
			body = xmlMixedBodies[i]
		}
		var want []string
		isLastCut := false
		eachXMLValue([]byte(body), func(value []byte, isCut bool) bool {
			want = append(want, string(value))
			isLastCut = isCut
			return true
		})
		if got, isCut := xmlTexts(body); !slices.Equal(got, want) || isCut != isLastCut {
			t.Fatalf("%q: got %q, %v, want %q, %v", body, got, isCut, want, isLastCut)
		}
		if want, got := sortedLines(xmlLines(body)), sortedLines(xmlAnyLines(body)); !slices.Equal(got, want) {
			t.Fatalf("%q: got the lines %q, want %q", body, got, want)
		}
		isClear := isXML([]byte(body))
		if got := isXMLText(body); got != isClear {
			t.Fatalf("%q is XML: got %v", body, got)
		}
		values += len(want)
		if isClear {
			clear++
		}
		if isLastCut {
			cut++
		}
	}
	if values < 40_000 || clear < 5_000 || cut < 20 {
		t.Errorf("%d values, %d clear bodies, %d cut ones: the bodies test little", values, clear, cut)
	}
}

func sortedLines(lines string, _ bool) []string {
	all := strings.Split(lines, "\n")
	slices.Sort(all)
	return all
}
