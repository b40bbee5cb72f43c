package policy

import (
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/request-guard/guard/address"
	"github.com/request-guard/guard/internal/vectors"
)

type policyTest struct {
	vectors.Named
	Text       *string         `json:"text"`
	TextBase64 string          `json:"textBase64"`
	OK         bool            `json:"ok"`
	Problems   []policyProblem `json:"problems"`
	Resolved   map[string]any  `json:"resolved"`
}

type policyProblem struct{ Kind, Path string }

func TestVectors(t *testing.T) {
	for _, group := range vectors.Read[policyTest](t, "policies", "policies-loading", "policies-refused") {
		for _, test := range group.Tests {
			if hasRepeatedKey(&test) {
				continue
			}
			t.Run(test.ID, func(t *testing.T) {
				policy, problems := LoadCamelCase(vectors.Bytes(t, test.Text, test.TextBase64))
				if !test.OK {
					compareProblems(t, &test, problems)
					return
				}
				if len(problems) > 0 {
					t.Fatalf("%s: %v", test.Description, problems)
				}
				for key, want := range test.Resolved {
					compareValue(t, key, reflect.ValueOf(*policy), want)
				}
			})
		}
	}
}

// hasRepeatedKey reports whether a test has a repeated key in guard.json. Proxies pass on parsed values, without repeated keys.
func hasRepeatedKey(test *policyTest) bool {
	return slices.ContainsFunc(test.Problems, func(p policyProblem) bool { return p.Kind == Syntax && p.Path != "" })
}

// compareProblems ignores the position of a syntax error, because it is a line of the text and proxies read no text.
func compareProblems(t *testing.T, test *policyTest, problems []Problem) {
	t.Helper()
	var want, got []string
	for _, p := range test.Problems {
		want = append(want, p.Kind+" "+snakePath(p.Path))
	}
	for _, p := range problems {
		got = append(got, p.Kind+" "+p.Path)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", test.Description, problems, want)
	}
}

// snakePath converts a path of guard.json to snake_case. Names of headers stay unchanged.
func snakePath(path string) string {
	if before, header, isHeader := strings.Cut(path, "headers"); isHeader {
		return snakeCase(before) + "headers" + header
	}
	return snakeCase(path)
}

// compareValue compares a value of the vector with the field of that name, ignoring case.
func compareValue(t *testing.T, key string, holder reflect.Value, want any) {
	t.Helper()
	field := holder.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, key) })
	if !field.IsValid() {
		t.Errorf("no field for %s", key)
		return
	}
	compare(t, key, reflect.Indirect(field), want)
}

func compare(t *testing.T, key string, got reflect.Value, want any) {
	t.Helper()
	switch want := want.(type) {
	case []any:
		if got.Len() != len(want) {
			t.Errorf("%s: got %v, want %v", key, got, want)
			return
		}
		for i, item := range want {
			compare(t, entryPath(key, i), got.Index(i), item)
		}
	case map[string]any:
		for k, v := range want {
			if got.Kind() == reflect.Map {
				compare(t, KeyPath(key, k), got.MapIndex(reflect.ValueOf(k)), v)
			} else {
				compareValue(t, k, got, v)
			}
		}
	case float64:
		compare(t, key, got, strconv.Itoa(int(want)))
	default:
		text := fmt.Sprint(got)
		if network, ok := got.Interface().(netip.Prefix); ok {
			written, _ := address.ParseNetwork(want.(string))
			text, want = network.String(), written.String()
		}
		if text != fmt.Sprint(want) {
			t.Errorf("%s: got %s, want %v", key, text, want)
		}
	}
}

func TestEachFieldOfTheTableIsInPolicy(t *testing.T) {
	keys := map[string]bool{}
	jsonKeys(reflect.TypeOf(Policy{}), "", keys)
	maps.DeleteFunc(keys, func(key string, _ bool) bool { return strings.HasPrefix(key, "ban_list.response.captcha") }) // a list has none
	for _, f := range fields {
		if !keys[f.Key] {
			t.Errorf("%s is not in Policy", f.Key)
		}
	}
	if len(keys) != len(fields) {
		t.Errorf("Policy has %d keys, the table %d", len(keys), len(fields))
	}
}

func jsonKeys(of reflect.Type, path string, keys map[string]bool) {
	if path != "" {
		keys[path] = true
	}
	if of == reflect.TypeFor[netip.Prefix]() {
		return
	}
	switch of.Kind() {
	case reflect.Pointer:
		jsonKeys(of.Elem(), path, keys)
	case reflect.Slice:
		jsonKeys(of.Elem(), path+"[]", keys)
	case reflect.Map:
		jsonKeys(of.Elem(), path+".*", keys)
	case reflect.Struct:
		for i := 0; i < of.NumField(); i++ {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			jsonKeys(of.Field(i).Type, KeyPath(path, name), keys)
		}
	}
}

func ExampleProblem() {
	_, problems := Load([]byte(`{"block_patterns": ["a", "(b"], "response": {"mode": "redirect", "status_code": 200}}`))
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// block_patterns[1]: the group is not closed (at offset 0)
	// response.status_code: expected one of 301, 302, 303, 307, 308 for mode redirect
}
