module github.com/request-guard/guard/cmd/interpreted

go 1.26.0

require github.com/traefik/yaegi v0.16.1
