module github.com/request-guard/guard/runner

go 1.26
