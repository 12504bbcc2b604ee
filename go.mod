module github.com/gosper-life/gosper

go 1.26.0

require (
	github.com/alecthomas/kong v1.17.0
	github.com/ebitengine/purego v0.11.3
	github.com/google/go-cmp v0.7.0
	golang.org/x/sys v0.49.0
	pgregory.net/rapid v1.3.0
)
