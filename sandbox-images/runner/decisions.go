package main

import (
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"sync"
)

// Decisions is a decision service for one bouncer. It implements the parts of CrowdSec's local API that the daemon and machines
// use. Machines need no login, because only probes reach the service.
type Decisions struct {
	Listen string `json:"listen"`
	Key    string `json:"key"`

	lock    sync.Mutex
	held    []decision
	fresh   []decision
	deleted []decision
	last    int
}

type decision struct {
	ID       int    `json:"id"`
	Origin   string `json:"origin"`
	Type     string `json:"type"`
	Scope    string `json:"scope"`
	Value    string `json:"value"`
	Duration string `json:"duration"`
	Scenario string `json:"scenario"`
}

type alert struct {
	Decisions []decision `json:"decisions"`
}

func (d *Decisions) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/decisions/stream", d.forBouncer(d.stream))
	mux.HandleFunc("POST /v1/usage-metrics", d.forBouncer(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
	}))
	mux.HandleFunc("POST /v1/alerts", d.add)
	mux.HandleFunc("DELETE /v1/decisions", d.remove)
	return mux
}

func (d *Decisions) forBouncer(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("X-Api-Key")), []byte(d.Key)) != 1 {
			answerJSON(w, http.StatusForbidden, map[string]string{"message": "access forbidden"})
			return
		}
		serve(w, r)
	}
}

// stream returns all decisions when the bouncer starts, and afterwards the changes since its last request.
func (d *Decisions) stream(w http.ResponseWriter, r *http.Request) {
	d.lock.Lock()
	defer d.lock.Unlock()
	added, gone := d.fresh, d.deleted
	if r.URL.Query().Get("startup") == "true" {
		added, gone = d.held, nil
	}
	answerJSON(w, http.StatusOK, map[string][]decision{"new": added, "deleted": gone})
	d.fresh, d.deleted = nil, nil
}

func (d *Decisions) add(w http.ResponseWriter, r *http.Request) {
	var alerts []alert
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, headBytes)).Decode(&alerts); err != nil {
		answerJSON(w, http.StatusBadRequest, map[string]string{"message": "invalid alerts"})
		return
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	for _, one := range alerts {
		for _, made := range one.Decisions {
			if len(d.held) == decisionsHeld {
				answerJSON(w, http.StatusInternalServerError, map[string]string{"message": "too many decisions"})
				return
			}
			d.last++
			made.ID = d.last
			d.held = append(d.held, made)
			d.fresh = append(d.fresh, made)
		}
	}
	answerJSON(w, http.StatusCreated, []int{d.last})
}

// remove deletes the decisions on the address or network in the parameter "value".
func (d *Decisions) remove(w http.ResponseWriter, r *http.Request) {
	value := r.URL.Query().Get("value")
	d.lock.Lock()
	defer d.lock.Unlock()
	var kept []decision
	before := len(d.deleted)
	for _, one := range d.held {
		if one.Value == value {
			one.Duration = "-1s"
			d.deleted = append(d.deleted, one)
		} else {
			kept = append(kept, one)
		}
	}
	d.held = kept
	answerJSON(w, http.StatusOK, map[string]int{"nbDeleted": len(d.deleted) - before})
}

func answerJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}
