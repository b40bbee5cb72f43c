package interpreted

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/limits"
)

// TestScansDecideWhatTheEngineDecidesAtTheLimit has bodies whose candidates exceed limits.RequestBytes. An attack is in a value
// before or after the one that reaches the limit.
func TestScansDecideWhatTheEngineDecidesAtTheLimit(t *testing.T) {
	const file = `{"methods": ["*"], "check_body": true, "allow_patterns": ["^/var/x"]}`
	rules, scanned := rulesOf(t, engine.Compile, file), rulesOf(t, Compile, file)
	reasons := map[string]int{}
	for i := range 12 {
		var values []string
		for k := range 1500 {
			values = append(values, fmt.Sprintf("x%%2525252e;y\\%%c0%%ae%%2501/%d. /:$z%%253fw+", k))
		}
		attack := []string{"/etc/passwd", "%2fvar/x", "a%2b/../.git/config+"}[i%3]
		values = slices.Insert(values, 4+16*i, attack, "plain", strings.Repeat("word ", 2+100*(i%5)))
		for contentType, body := range bodiesOf(values) {
			q := &engine.Request{Method: "POST", Target: "/", Header: map[string][]string{"Content-Type": {contentType}}, Body: []byte(body)}
			want, got := rules.Evaluate(q), scanned.Evaluate(q)
			if got != want {
				t.Errorf("%s, %d: got %+v, want %+v", contentType, i, got, want)
			}
			reasons[want.Reason]++
		}
	}
	if reasons[engine.ReasonBlockPatternMatch] < 5 || reasons[engine.ReasonNoMatch] < 5 {
		t.Errorf("the attacks do not straddle the end of the budget: %v", reasons)
	}
}

// TestScansCountTheirValues has an attack directly before and after the limit on the number of values.
func TestScansCountTheirValues(t *testing.T) {
	const file = `{"methods": ["*"], "check_body": true}`
	rules, scanned := rulesOf(t, engine.Compile, file), rulesOf(t, Compile, file)
	reasons := map[string]int{}
	for at := limits.BodyValues - 3; at < limits.BodyValues+3; at++ {
		values := []string{"x%2525252e;y\\%c0%ae%2501/. /:$z%253fw+"}
		for len(values) < at {
			values = append(values, "! "+strings.Repeat("a", 50))
		}
		values = append(values, "/etc/passwd")
		body, _ := json.Marshal(values) // cannot fail: values are strings
		q := &engine.Request{Method: "POST", Target: "/", Header: map[string][]string{"Content-Type": {"application/json"}}, Body: body}
		want, got := rules.Evaluate(q), scanned.Evaluate(q)
		if got != want {
			t.Errorf("%d: got %+v, want %+v", at, got, want)
		}
		reasons[want.Reason]++
	}
	if reasons[engine.ReasonBlockPatternMatch] < 2 || reasons[engine.ReasonNoMatch] < 2 {
		t.Errorf("the attacks do not straddle the limit: %v", reasons)
	}
}

func bodiesOf(values []string) map[string]string {
	list, _ := json.Marshal(values) // cannot fail: values are strings
	form := "a=" + url.QueryEscape(values[0])
	for _, value := range values[1:] {
		form += "&" + value
	}
	return map[string]string{
		"application/json":                  string(list),
		"application/x-www-form-urlencoded": form,
		"text/xml":                          "<a>" + strings.ReplaceAll(strings.Join(values, "</a><a>"), "&", "&amp;") + "</a>",
	}
}
