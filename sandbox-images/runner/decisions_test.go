package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func ask(t *testing.T, service *Decisions, method, target, key, body string, status int) map[string][]decision {
	t.Helper()
	request := httptest.NewRequest(method, target, strings.NewReader(body))
	request.Header.Set("X-Api-Key", key)
	recorder := httptest.NewRecorder()
	service.handler().ServeHTTP(recorder, request)
	if recorder.Code != status {
		t.Fatalf("%s %s: %d %s", method, target, recorder.Code, recorder.Body)
	}
	var lists map[string][]decision
	_ = json.Unmarshal(recorder.Body.Bytes(), &lists)
	return lists
}

const alerts = `[{"decisions":[{"type":"ban","scope":"Ip","value":"192.0.2.1","duration":"1h","origin":"cscli","scenario":"probe"}]}]`

func TestTheBouncerGetsAllDecisionsAtItsStartAndThenChanges(t *testing.T) {
	service := &Decisions{Key: "secret"}
	stream := "/v1/decisions/stream?startup="
	ask(t, service, http.MethodGet, stream+"true", "wrong", "", http.StatusForbidden)
	ask(t, service, http.MethodPost, "/v1/alerts", "", "{", http.StatusBadRequest)
	ask(t, service, http.MethodPost, "/v1/alerts", "", alerts, http.StatusCreated)
	if got := ask(t, service, http.MethodGet, stream+"false", "secret", "", http.StatusOK)["new"]; len(got) != 1 || got[0].Value != "192.0.2.1" {
		t.Fatalf("%v", got)
	}
	if got := ask(t, service, http.MethodGet, stream+"false", "secret", "", http.StatusOK)["new"]; len(got) != 0 {
		t.Fatalf("sent twice: %v", got)
	}
	if got := ask(t, service, http.MethodGet, stream+"true", "secret", "", http.StatusOK)["new"]; len(got) != 1 {
		t.Fatalf("not sent at the start: %v", got)
	}
	ask(t, service, http.MethodDelete, "/v1/decisions?value=192.0.2.1", "", "", http.StatusOK)
	if got := ask(t, service, http.MethodGet, stream+"false", "secret", "", http.StatusOK)["deleted"]; len(got) != 1 {
		t.Fatalf("the deletion is not sent: %v", got)
	}
	if got := ask(t, service, http.MethodGet, stream+"true", "secret", "", http.StatusOK)["new"]; len(got) != 0 {
		t.Fatalf("held after its end: %v", got)
	}
}

func TestDecisionsAreBounded(t *testing.T) {
	service := &Decisions{}
	for range decisionsHeld {
		ask(t, service, http.MethodPost, "/v1/alerts", "", alerts, http.StatusCreated)
	}
	ask(t, service, http.MethodPost, "/v1/alerts", "", alerts, http.StatusInternalServerError)
}
