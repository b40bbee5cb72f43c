package guard

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/request-guard/guard/policy"
)

func TestKeysDocumentsEveryKeyOfAPolicy(t *testing.T) {
	checkKeys(t, reflect.TypeFor[Keys](), "")
}

func checkKeys(t *testing.T, structure reflect.Type, table string) {
	var names []string
	for field := range structure.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
		key, inner := policy.KeyPath(table, name), field.Type
		if inner.Kind() == reflect.Slice {
			key, inner = key+"[]", inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			checkKeys(t, inner, key)
		}
	}
	want := policy.KeysOf(table)
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("%q: got %v, want %v", table, names, want)
	}
}

func TestSecretsFromPlaceholders(t *testing.T) {
	captcha := `"secret": "{env.GUARD_TEST}", "response": {"mode": "captcha",
		"captcha": {"provider": "hcaptcha", "site_key": "k", "secret_key": "{env.GUARD_TEST}"}}`
	g := new(Guard)
	if err := json.Unmarshal([]byte("{"+captcha+"}"), g); err != nil {
		t.Fatal(err)
	}
	if resolved, err := g.load(); err != nil || resolved.Secret != "${GUARD_TEST}" || resolved.Response.Captcha.SecretKey != "${GUARD_TEST}" {
		t.Fatalf("got %+v, %v", resolved, err)
	}
	t.Setenv("GUARD_TEST", "a secret of the environment")
	if got := serve(t, provisioned(t, captcha), request("GET", "/", "", nil)); got != http.StatusAccepted {
		t.Errorf("got %d", got)
	}
	text, err := json.Marshal(g)
	if err != nil || !strings.Contains(string(text), "{env.GUARD_TEST}") {
		t.Errorf("got %s, %v", text, err)
	}
}
