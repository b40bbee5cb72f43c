package interpreted

import (
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/request-guard/guard/engine"
)

// bodyPieces are texts that decide how a body of a type is read.
var bodyPieces = map[string]string{
	"application/json":                  `"|"|\|\\|\"|\/|\n|\b|\u|\u002f|\uD83D|\ude00|\uDBFF\uDFFF|\u12|\ud7FF|\q|u|a|:|,|[|]|{|}|1|true|` + "\n|\x00|\x01|\xff|\xc3\xa9",
	"application/x-www-form-urlencoded": `a|&|=|;|.|/|?|_|Z9|-|{|[|+|"|"|%22|%7b|%5B|%20|%0a|%0B|%5c|%u0022|%U000a|\|\u000a|` + "\n|\v|\x00|\xe9",
	"text/xml": `<|>|<a>|</a>|<b/>|<a b="|"|'|"/>| = |=|<!--|-->|--|-|<!|<!DOCTYPE a [|]>|<?|?>|?|<?xml version="1.0" encoding="|` +
		`<?xml encoding = 'utf-7|UTF-8|encoding='x'|<![CDATA[|]]>|]]|&|&amp;|&lt;|&#38;|#46;|&#46;|&#x2E;|&#X2e;|&#046;|&#xD800;|&#233;|&#10;|&#xb;|&#5|;|6|&sol;|<!ENTITY x '|<!ENTITY % x "|&#34;|&#38;#39;|&#38;#38;|&#38;lt;|` +
		`x|y z|.|/|` + "\xc3\xa9|\xef\xbb\xbf|\xff|\n|\r\n|\t|\v|\v\v|\f|\v0|\v1\v2|\x00| |\t x \n",
	"application/xml": `<a>|<a>|</a>|<b/>|<c d='/'>|x|y/>|` + "\n |<!e>|<![CDATA[z]]>|<!---->|\x02",
}

// TestStepsFindTheValuesOfJSONFormsAndXML compares traces, which have each value in order, and the causes of overflows.
func TestStepsFindTheValuesOfJSONFormsAndXML(t *testing.T) {
	const file = `{"methods": ["*"], "check_body": true, "body_overflow": "block", "enable_default_patterns": false}`
	loops, steps := rulesOf(t, engine.Compile, file), rulesOf(t, Compile, file)
	r := rand.New(rand.NewSource(1))
	values := map[string]int{}
	for contentType, texts := range bodyPieces {
		pieces := strings.Split(texts, "|")
		for range 6_000 {
			var b strings.Builder
			for n := r.Intn(14); n > 0; n-- {
				b.WriteString(pieces[r.Intn(len(pieces))])
			}
			body := b.String()
			switch {
			case r.Intn(2) == 0:
			case strings.HasSuffix(contentType, "json"):
				body = `["` + body + `"]`
			case strings.HasSuffix(contentType, "xml"):
				body = "<a>" + body + "</a>"
			}
			if strings.HasSuffix(contentType, "xml") && r.Intn(600) == 0 { // more text than limits.XmlJoinedBytes
				body = strings.Repeat("<a>"+strings.Repeat(".", r.Intn(99))+"\n", 1000) + body
			}
			q := &engine.Request{Method: "POST", Target: "/", Header: map[string][]string{"Content-Type": {contentType}}, Body: []byte(body)}
			want, got := loops.Trace(q), steps.Trace(q)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%.300q: got %+v, want %+v", body, got, want)
			}
			if got := steps.Evaluate(q); got != want.Verdict {
				t.Fatalf("%.300q: got %+v, want %+v", body, got, want.Verdict)
			}
			values[contentType] += len(want.Targets)
		}
	}
	for contentType := range bodyPieces {
		if values[contentType] < 12_000 {
			t.Errorf("the bodies test little: %v", values)
		}
	}
}
