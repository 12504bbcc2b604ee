//go:build !js

// Package static writes a page that needs no server but one of files: the universe runs in the browser.
package static

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/asset"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/sim"
)

// workerProgram is the program that runs the universe of a page without a server.
const workerProgram = "github.com/gosper-life/gosper/cmd/gosper/internal/view/web/worker"

// workerEngines are the engines of that program.
var workerEngines = []string{sim.Auto, "cpu", "hashlife", "lookup", "sums"}

// unhurried are packages with few functions inlined in the worker's program, so that it is smaller and loads faster:
// those that read, write and describe, those that make first cells, the compiler of rules, and those that say what
// engines do next. Functions of the rest, where the cells are computed, are inlined as usual.
//
// These packages sort short lists with slices.SortStableFunc: its code, which the program has once for each type of
// element, is a third of the code of slices.SortFunc.
var unhurried = []string{
	"archive/...", "bufio", "bytes", "cmp", "compress/...", "context", "crypto/...", "embed", "encoding/...", "errors",
	"fmt", "hash/...", "image/...", "internal/...",
	"io/...", "iter", "maps", "math", "math/big", "math/cmplx", "os", "path/...", "reflect", "slices", "sort", "strconv",
	"strings", "sync", "syscall/...", "time", "unicode/...", "unique", "weak",
	"gonum.org/...",
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells",
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/film",
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session/...",
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/...", "github.com/gosper-life/gosper/internal/atomicfile",
	"github.com/gosper-life/gosper/internal/diskcache", "github.com/gosper-life/gosper/internal/jit/...",
	"github.com/gosper-life/gosper/sim/cpu/internal/layout",
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene",
	"github.com/gosper-life/gosper/sim/cpu/sparse",
	"github.com/gosper-life/gosper/origin/...",
	"github.com/gosper-life/gosper/pattern/...", "github.com/gosper-life/gosper/rule/...",
	"github.com/gosper-life/gosper/sim", "github.com/gosper-life/gosper/sim/burning",
	"github.com/gosper-life/gosper/sim/checkpoint", "github.com/gosper-life/gosper/sim/run",
	"github.com/gosper-life/gosper/internal/background",
	"github.com/gosper-life/gosper/internal/compile", "github.com/gosper-life/gosper/internal/compile/circuit",
	"github.com/gosper-life/gosper/internal/compile/code", "github.com/gosper-life/gosper/internal/compile/lut",
	"github.com/gosper-life/gosper/internal/compile/rowprog", "github.com/gosper-life/gosper/internal/fourier",
	"github.com/gosper-life/gosper/internal/compile/dataflow", "github.com/gosper-life/gosper/internal/compile/synth/...",
	"github.com/gosper-life/gosper/internal/compile/warpprog", "github.com/gosper-life/gosper/internal/shell",
	"github.com/gosper-life/gosper/sim/batch", "github.com/gosper-life/gosper/sim/cpu",
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen", "github.com/gosper-life/gosper/sim/cpu/internal/multispin",
	"github.com/gosper-life/gosper/sim/cpu/internal/plan",
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/interpreter", "github.com/gosper-life/gosper/component",
	"github.com/gosper-life/gosper/sim/hashlife", "github.com/gosper-life/gosper/cmd/gosper/internal/view/far",
	"github.com/gosper-life/gosper/census", "github.com/gosper-life/gosper/census/internal/...",
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/objects",
	"github.com/gosper-life/gosper/internal/names",
	"github.com/gosper-life/gosper/internal/number", "github.com/gosper-life/gosper/soup",
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/emitter",
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/linearscan",
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline",
	"github.com/gosper-life/gosper/topology",
	"github.com/gosper-life/gosper/internal/lattice", "github.com/gosper-life/gosper/internal/volume",
}

// Best is the quality of brotli at which files are smallest. It takes a minute.
const Best = asset.Best

// Write writes the files of the page into a folder, which it makes, and returns their names. Each is there as
// it is and, for servers that send files compressed, gzipped and as brotli of a quality from 0 to Best. The
// program that runs the universe is compiled from Gosper's source, so Go is needed, and the working directory
// must be in a clone of Gosper. It is no part of this program because it is large.
func Write(ctx context.Context, dir string, quality int) (written []string, err error) {
	program, support, err := compileWorker(ctx)
	if err != nil {
		return nil, err
	}
	content := web.Static(workerEngines)
	content["index.html"] = bytes.Replace(content["index.html"], []byte("<html "), []byte(`<html data-server="none" `), 1)
	content["wasm_exec.js"], content["gosper.wasm"] = support, program
	for _, name := range slices.Collect(maps.Keys(content)) {
		content[name+".gz"], content[name+".br"] = asset.Gzip(content[name]), asset.Brotli(content[name], quality)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(content)) {
		path := filepath.Join(dir, name)
		if err := atomicfile.Write(path, true, func(w io.Writer) error {
			_, err := w.Write(content[name])
			return err
		}); err != nil {
			return written, err
		}
		written = append(written, path)
	}
	return written, nil
}

// compileWorker returns the worker's program and the script of Go's that starts it.
func compileWorker(ctx context.Context) (program, support []byte, err error) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		return nil, nil, errors.New("compiling the page's program needs Go, and there is no go on the PATH")
	}
	dir, err := os.MkdirTemp("", "gosper-static")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	built := filepath.Join(dir, "gosper.wasm")
	args := []string{"build", "-trimpath", "-tags=page", "-ldflags=-s -w", "-o", built}
	for _, packages := range unhurried {
		args = append(args, "-gcflags="+packages+"=-l")
	}
	build := exec.CommandContext(ctx, goTool, append(args, workerProgram)...)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("compiling the page's program (run this in a clone of Gosper): %w\n%s", err,
			bytes.TrimSpace(out))
	}
	root, err := exec.CommandContext(ctx, goTool, "env", "GOROOT").Output()
	if err != nil {
		return nil, nil, err
	}
	if support, err = os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm",
		"wasm_exec.js")); err != nil {
		return nil, nil, err
	}
	code, err := os.ReadFile(built)
	if err != nil {
		return nil, nil, err
	}
	if smaller, err := oneSegment(code, withoutLines); err == nil { // another linker's module is as good, only larger
		code = smaller
	}
	return code, support, nil
}
