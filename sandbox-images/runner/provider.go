package main

import (
	"net"
	"net/http"
)

// solvedToken is the token of a visitor who solved the challenge. The providers have a different one for each visitor.
const solvedToken = "solved"

// openProvider serves the endpoint of a captcha provider that verifies tokens, as far as the guards use it.
func openProvider(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /siteverify", verify)
	server := &http.Server{Handler: mux, ReadTimeout: exchangeTimeout, MaxHeaderBytes: headBytes}
	go func() { _ = server.Serve(listener) }()
	return nil
}

func verify(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, headBytes)
	isSolved := r.PostFormValue("secret") != "" && r.PostFormValue("response") == solvedToken
	answerJSON(w, http.StatusOK, map[string]bool{"success": isSolved})
}
