// Command http-client sends requests over HTTP/2 and HTTP/3 without changing their bytes. Each input line is a request,
// each output line a reply.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
)

const (
	exchangeTimeout = 15 * time.Second
	longestLine     = 16 << 20
	largestReply    = 4 << 20
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 0, 1<<16), longestLine)
	var output sync.Mutex
	encoder := json.NewEncoder(os.Stdout)
	connections := newPool()
	var pending sync.WaitGroup
	for lines.Scan() {
		q := &request{}
		if err := json.Unmarshal(lines.Bytes(), q); err != nil {
			fmt.Fprintln(os.Stderr, "http-client:", err)
			os.Exit(1)
		}
		pending.Go(func() {
			answer := connections.exchange(q)
			answer.ID = q.ID
			output.Lock()
			defer output.Unlock()
			_ = encoder.Encode(answer)
		})
	}
	pending.Wait()
}

// request has names in lower case, pseudo-headers first.
type request struct {
	ID      int         `json:"id"`
	Version string      `json:"version"` // h2c, h2, h3 or h3-early
	Address string      `json:"address"`
	Fields  [][2][]byte `json:"fields"`
	Body    []byte      `json:"body"`
	HasBody bool        `json:"hasBody"`
	Stream  []byte      `json:"stream"` // of HTTP/3: all bytes of the request stream, in place of Fields and Body
}

// reply is a response, or the reason why there is none.
type reply struct {
	ID     int         `json:"id"`
	Fields [][2][]byte `json:"fields"`
	Body   []byte      `json:"body"`
	End    string      `json:"end,omitempty"` // closed, broken or timeout; empty: a whole response
	Reason string      `json:"reason,omitempty"`
}

func failed(partial *reply, err error) *reply {
	end := "closed"
	if isTimeout(err) {
		end = "timeout"
	} else if len(partial.Fields) > 0 {
		end = "broken"
	}
	return &reply{Fields: partial.Fields, Body: partial.Body, End: end, Reason: err.Error()}
}
