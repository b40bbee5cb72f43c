package respond

import "strconv"

// ratelimitMode responds like mode text, with Retry-After (RFC 9110 10.2.3, RFC 6585 4).
func ratelimitMode(o *options) Answer {
	o.headers["Retry-After"] = strconv.Itoa(o.response.RetryAfterSeconds)
	return textMode(o)
}
