package tables

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
)

// array is the file of the cells of a place in the format of NumPy or NetCDF: uint8 of the shape (universes,
// generations, rows, columns). A column is the state of a cell, or with bits eight cells, that on the left in
// the highest bit, as numpy.packbits makes them.
type array struct {
	name      string
	file      *atomicfile.File
	out       *bufio.Writer
	universes int // written so far
	pad       int // bytes after the cells
	// the numbers and seeds of the universes that a NetCDF file announces
	numbers, seeds []uint64
}

// createArray starts the file of a place.
func (p *placeMerge) createArray() error {
	universes := 0
	for _, j := range p.jobs {
		universes += p.study.Dump.Of(j.First, j.Count)
	}
	t, d := p.at.Topology, &p.study.Dump
	a := &array{name: fmt.Sprintf("cells-%d.npy", p.number+1)}
	head := header(universes, len(d.Generations), t.H, d.Columns(t))
	if d.NetCDF {
		a.name = fmt.Sprintf("cells-%d.nc", p.number+1)
		for _, j := range p.jobs {
			for i := j.First; i < j.First+uint64(j.Count); i++ {
				if d.Has(i) {
					a.numbers = append(a.numbers, p.study.Before(j.Spec.Root)+i)
					a.seeds = append(a.seeds, ensemble.Seed(j.Spec.Root, p.place, i, p.study.Spec.Paired))
				}
			}
		}
		head = string(netcdf(p.place, t, p.at.Rule.States, d.Generations, a.numbers, a.seeds))
		a.pad = -(universes * len(d.Generations) * t.H * t.W) & 3
	}
	var err error
	if a.file, err = atomicfile.Create(filepath.Join(p.dir, a.name), true); err != nil {
		return err
	}
	a.out = bufio.NewWriterSize(a.file, 1<<16)
	p.array = a
	_, err = a.out.WriteString(head)
	return err
}

// header returns the header of a file in version 1.0 of NumPy's format. The data after it begin at a
// multiple of 64 bytes, so that programs can map the file into memory:
//
//	6 bytes   0x93, "NUMPY"
//	2 bytes   the version: 1, 0
//	2 bytes   the length of the text, little-endian
//	…         the text: a Python dictionary, spaces, a line feed
func header(universes, generations, rows, columns int) string {
	const before = 10 // bytes of signature, version and length
	said := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d, %d, %d), }", universes, generations,
		rows, columns)
	said += strings.Repeat(" ", 63-(before+len(said))%64) + "\n"
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(said)), byte(len(said) >> 8)}) + said
}

// cells adds the universes of a result, and their rows in the table.
func (p *placeMerge) cells(r *ensemble.Result) error {
	planes, t := grid.PlanesOf(p.at.Rule.States), p.at.Topology
	row := make([]byte, p.study.Dump.Columns(t))
	wide := (t.W + 7) / 8
	for _, k := range r.Kept {
		if len(k.Cells) != p.study.Dump.KeptBytes(t, planes) {
			return errors.New("not a result: cells of another size")
		}
		u := r.Universes[k.Universe]
		if at := p.array.universes; p.array.seeds != nil && (p.array.seeds[at] != u.Seed || p.array.numbers[at] != u.Index) {
			return errors.New("not a result: cells of another universe")
		}
		for number, generation := range p.study.Dump.Generations {
			all := k.Cells[number*planes*t.H*wide:]
			for y := range t.H {
				if p.study.Dump.Bits {
					copy(row, all[y*wide:])
				} else {
					statesOf(row, all[y*wide:], planes, t.H*wide)
				}
				if _, err := p.array.out.Write(row); err != nil {
					return err
				}
			}
			err := p.tables.cells.write(ensemble.DumpedCells{
				Place: p.place, Index: u.Index, Seed: u.Seed, Generation: generation, File: p.array.name, Axis0: p.array.universes,
				Axis1: number,
			})
			if err != nil {
				return err
			}
		}
		p.array.universes++
	}
	return nil
}

// statesOf stores the states of a row of cells. Its planes are the given number of bytes apart.
func statesOf(row, cells []byte, planes, apart int) {
	clear(row)
	for k := range planes {
		for x := range row {
			row[x] |= cells[k*apart+x/8] >> (7 - x%8) & 1 << k
		}
	}
}

// close gives the file its name.
func (a *array) close() error {
	if _, err := a.out.Write(make([]byte, a.pad)); err != nil {
		return err
	}
	if err := a.out.Flush(); err != nil {
		return err
	}
	return a.file.Commit()
}

func (a *array) abort() { a.file.Abort() }
