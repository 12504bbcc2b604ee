package worker

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/measure"
)

// TestCallEndsWithItsJob: a job that is interrupted does not ask the program for the rest of a sample, which may take
// long.
func TestCallEndsWithItsJob(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Skipf("no Unix sockets: %v", err)
	}
	defer listener.Close()
	t.Setenv(measure.CallVariable, "1 "+path)
	ctx, cancel := context.WithCancel(t.Context())
	var questions atomic.Int32
	go func() {
		line, err := listener.Accept()
		for err == nil {
			var size [4]byte
			if _, err = io.ReadFull(line, size[:]); err != nil {
				break
			}
			const cells = 8 * 8
			_, err = io.CopyN(io.Discard, line, int64(binary.LittleEndian.Uint32(size[:]))+cells)
			questions.Add(1)
			cancel()
			const reply = `{"numbers":[1]}`
			line.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(reply))), reply...))
		}
	}()
	study, err := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"8"}, Universes: 50, PerJob: 50, Generations: 4, Every: 2,
		Measures: []string{"call"}, Calls: []string{"one"},
	}.Check()
	if err != nil {
		t.Fatal(err)
	}
	for j := range study.Jobs() {
		w := Worker{Engine: "cpu"}
		if _, err := w.Run(ctx, j); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
		w.Close()
	}
	if n := questions.Load(); n != 1 {
		t.Errorf("%d questions, want one before the interrupt", n)
	}
}
