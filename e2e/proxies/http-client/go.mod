module github.com/request-guard/guard/e2e/proxies/http-client

go 1.26.3

require (
	github.com/quic-go/qpack v0.6.0
	github.com/quic-go/quic-go v0.63.0
	golang.org/x/net v0.60.0
)

require (
	golang.org/x/crypto v0.57.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/text v0.42.0 // indirect
)
