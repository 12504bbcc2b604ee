package static

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/asset"
)

// program grows its stack, collects garbage, recovers and then panics.
const program = `package main

import (
	"fmt"
	"runtime"
	"strings"
)

//go:noinline
func deep(n int, seen *int) int {
	var room [64]int
	room[n%64] = n
	if n%500 == 0 {
		runtime.GC()
	}
	if n == 0 {
		pcs := make([]uintptr, 4000)
		frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
		for {
			f, more := frames.Next()
			if strings.HasSuffix(f.Function, ".deep") {
				*seen++
			}
			if !more {
				return room[0]
			}
		}
	}
	return deep(n-1, seen) + room[n%64]
}

//go:noinline
func fails(m map[string]int) { m["x"] = 1 }

func main() {
	done := make(chan int)
	seen := 0
	go func() { done <- deep(2000, &seen) }()
	sum := <-done
	fmt.Println("sum", sum, "frames", seen)
	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		fails(nil)
	}()
	_, file, line, ok := runtime.Caller(0)
	fmt.Println("at", file, line, ok)
	fails(nil)
}
`

// TestWithoutLines runs a program whose lines were taken out. It must do the same, and name functions if it fails.
func TestWithoutLines(t *testing.T) {
	node, err := exec.LookPath("node")
	if testing.Short() || err != nil {
		t.Skip("needs node, and Go's library for WebAssembly")
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, "whole.wasm"), source)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "whole.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	start := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")
	said, size := map[bool]string{}, map[bool]int{}
	for _, lines := range []bool{true, false} {
		change := withoutLines
		if lines {
			change = func(int, []byte) {}
		}
		module, err := oneSegment(whole, change)
		if err != nil {
			t.Fatal(err)
		}
		if named := bytes.Contains(module, []byte("\x00fmt.Fprintln\x00")); named != lines {
			t.Errorf("lines %t: it is %t that it names a function of fmt", lines, named)
		}
		path := filepath.Join(dir, fmt.Sprintf("%t.wasm", lines))
		if err := os.WriteFile(path, module, 0o644); err != nil {
			t.Fatal(err)
		}
		size[lines] = len(asset.Gzip(module))
		run := exec.Command(node, start, path)
		var out, trace bytes.Buffer
		run.Stdout, run.Stderr = &out, &trace
		if err := run.Run(); err == nil {
			t.Errorf("lines %t: it did not panic", lines)
		}
		text, at, _ := strings.Cut(out.String(), "at ")
		said[lines] = text
		for _, want := range []string{"assignment to entry in nil map", "main.fails", "main.main"} {
			if !strings.Contains(out.String()+trace.String(), want) {
				t.Errorf("lines %t: no %q in\n%s%s", lines, want, &out, &trace)
			}
		}
		if known := strings.Contains(at, "main.go"); known != lines {
			t.Errorf("lines %t: it is at %s", lines, at)
		}
	}
	if want := "sum 2001000 frames 2001\nrecovered: assignment to entry in nil map\n"; said[false] != want ||
		said[true] != want {
		t.Errorf("it says %q, with lines %q, want %q", said[false], said[true], want)
	}
	if size[false] > size[true]*19/20 {
		t.Errorf("%d bytes, with lines %d", size[false], size[true])
	}
	t.Logf("%d bytes gzipped, with lines %d", size[false], size[true])
}
