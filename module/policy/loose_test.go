package policy

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/request-guard/guard/internal/vectors"
)

// asTexts converts a value like Traefik's labels: numbers and flags become texts, and keys lose their case.
func asTexts(value any, isHeaders bool) any {
	switch v := value.(type) {
	case map[string]any:
		object := map[string]any{}
		for key, item := range v {
			if !isHeaders {
				key = strings.ToUpper(key)
			}
			object[key] = asTexts(item, strings.EqualFold(key, "headers"))
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = asTexts(item, false)
		}
		return list
	case string:
		return v
	}
	text, _ := json.Marshal(value)
	return string(text)
}

func TestLooseValuesMeanWhatTheFileMeans(t *testing.T) {
	compared := 0
	for _, group := range vectors.Read[policyTest](t, "policies", "policies-loading", "policies-refused") {
		for _, test := range group.Tests {
			text := vectors.Bytes(t, test.Text, test.TextBase64)
			want, problems := LoadCamelCase(text)
			var values map[string]any
			if len(problems) > 0 || json.Unmarshal(text, &values) != nil {
				continue
			}
			delete(values, "$schema")
			delete(values, "tcp")
			got, problems := LoadLoose(asTexts(values, false).(map[string]any))
			if len(problems) > 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s: got %+v, %v, want %+v", test.ID, test.Description, got, problems, want)
			}
			compared++
		}
	}
	if compared < 10 {
		t.Errorf("only %d policies were compared", compared)
	}
}

func TestLooseLists(t *testing.T) {
	for text, want := range map[string][]string{
		"GET,HEAD":            {"GET", "HEAD"},
		"GET":                 {"GET"},
		"\u2551GET\u2551HEAD": {"GET", "HEAD"},
	} {
		p, problems := LoadLoose(map[string]any{"methods": text})
		if len(problems) > 0 || !reflect.DeepEqual(p.Methods, want) {
			t.Errorf("%q: got %v, %v, want %v", text, p.Methods, problems, want)
		}
	}
}

func TestLooseProblemsHaveThePathsOfTheFile(t *testing.T) {
	_, problems := LoadLoose(map[string]any{"checkQuery": "maybe", "response": map[string]any{"gzipBombMb": "many"}})
	paths := map[string]bool{}
	for _, p := range problems {
		paths[p.Path] = true
	}
	if !reflect.DeepEqual(paths, map[string]bool{"checkQuery": true, "response.gzipBombMb": true}) {
		t.Errorf("got %v", problems)
	}
}

func TestAMiddlewareWithoutOptionsHasTheDefaults(t *testing.T) {
	if p, problems := LoadLoose(nil); len(problems) > 0 || !p.Enabled || p.Response.Mode != "text" {
		t.Errorf("got %+v, %v", p, problems)
	}
}
