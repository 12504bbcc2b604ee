package gputest

import (
	"fmt"
	"sync"

	"github.com/gosper-life/gosper/internal/ptx/ptxtest"
)

// PTX is a machine that runs the text of kernels.
type PTX struct{ ptxtest.Memory }

// Free implements Machine.
func (m *PTX) Free(address, _ uint64) { m.Memory.Free(address) }

// parsed holds the programs of all texts so far, because most universes share the kernels that do not advance cells.
var parsed sync.Map

// Kernel implements Machine.
func (m *PTX) Kernel(text, name string) (Kernel, error) {
	programs, ok := parsed.Load(text)
	if !ok {
		p, err := ptxtest.Parse(text)
		if err != nil {
			return nil, err
		}
		programs = p
		parsed.Store(text, p)
	}
	p := programs.(map[string]*ptxtest.Program)[name]
	if p == nil {
		return nil, fmt.Errorf("no kernel %s", name)
	}
	return func(gridX, gridY, threads, shared int, args []uint64) error {
		return p.Run(&m.Memory, gridX, gridY, threads, shared, args)
	}, nil
}
