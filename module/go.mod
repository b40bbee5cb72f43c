module github.com/request-guard/guard

go 1.22
