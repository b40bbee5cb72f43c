package main

import "net/http"

// solvedToken is the token for a solved challenge. A real provider has a different token for each visitor.
const solvedToken = "solved"

// openProvider serves the endpoint with which a captcha provider verifies tokens.
func openProvider(address string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /siteverify", verify)
	return serveHTTP(address, mux)
}

func verify(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, headBytes)
	isSolved := r.PostFormValue("secret") != "" && r.PostFormValue("response") == solvedToken
	answerJSON(w, http.StatusOK, map[string]bool{"success": isSolved})
}
