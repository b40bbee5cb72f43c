package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestProviderVerifiesOnlyTheSolvedToken(t *testing.T) {
	for form, expected := range map[string]string{
		"secret=x&response=solved": `{"success":true}`,
		"secret=x&response=other":  `{"success":false}`,
		"response=solved":          `{"success":false}`,
		"secret=&response=solved":  `{"success":false}`,
		"":                         `{"success":false}`,
		"secret=x&response=" + url.QueryEscape("solved\x00"):         `{"success":false}`,
		"secret=x&response=solved&" + strings.Repeat("a", headBytes): `{"success":false}`,
	} {
		request := httptest.NewRequest(http.MethodPost, "/siteverify", strings.NewReader(form))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer := httptest.NewRecorder()
		verify(answer, request)
		if got := strings.TrimSpace(answer.Body.String()); got != expected {
			t.Errorf("%.40q: got %s, expected %s", form, got, expected)
		}
	}
}
