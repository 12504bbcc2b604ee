// Cudagen compiles CUDA kernels to PTX. The PTX is committed beside the source, so neither users nor builds
// need NVIDIA's toolkit:
//
//	//go:generate go run github.com/gosper-life/gosper/internal/cudagen life.cu
//
// This writes zlife.ptx.gz with clang-19; zcat shows its text. The source includes device.h, this program's
// header, instead of NVIDIA's. The text is PTX ISA 7.8 for compute capability 8.0, which every driver of CUDA
// 11.8 and later accepts.
package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gosper-life/gosper/internal/atomicfile"
)

const compiler = "clang-19"

//go:embed device.h
var header []byte

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: cudagen FILE.cu…")
		os.Exit(2)
	}
	for _, source := range os.Args[1:] {
		if err := generate(source); err != nil {
			fmt.Fprintf(os.Stderr, "cudagen: %s: %v\n", source, err)
			os.Exit(1)
		}
	}
}

func generate(source string) error {
	ptx, err := compile(source)
	if err != nil {
		return err
	}
	return atomicfile.Write(output(source), true, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		_, err = z.Write(ptx)
		return errors.Join(err, z.Close())
	})
}

// output is the name of the file that a source is compiled to: zlife.ptx.gz for life.cu.
func output(source string) string {
	dir, name := filepath.Split(source)
	return dir + "z" + strings.TrimSuffix(name, ".cu") + ".ptx.gz"
}

// compile returns the PTX of a source. Its first line says that it was generated.
func compile(source string) ([]byte, error) {
	include, err := os.MkdirTemp("", "cudagen")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(include)
	if err := os.WriteFile(filepath.Join(include, "device.h"), header, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(compiler, "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-std=c++17",
		"--cuda-gpu-arch=sm_80", "--cuda-feature=+ptx78", "-O3", "-Wall", "-Werror", "-I", include, "-S", "-o", "-", source)
	var ptx, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &ptx, &complaints
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, complaints.Bytes())
	}
	return append([]byte("// Code generated from "+filepath.Base(source)+" by internal/cudagen. DO NOT EDIT.\n"),
		ptx.Bytes()...), nil
}
