// Package vti writes VTK's XML image data, which ParaView and VisIt show. Each cell of the universe is a cell of the
// image with its state as a number. Source: "VTK File Formats", VTK User's Guide, section ImageData, with data that is
// appended in raw form.
package vti

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
)

// Codec is the format.
var Codec = codec.Codec{
	Name: "vti", Suffixes: []string{".vti"}, Signatures: []string{"<?xml"}, Signed: true, States: 256, Volumes: true,
	Write: write,
}

// write writes a file for VTK: a description as XML, and behind it the states as bytes. A pattern
// without layers has one.
func write(ctx context.Context, w *bufio.Writer, src grid.Source, meta codec.Meta) error {
	rows, err := codec.NewRows(ctx, src, meta.States)
	if err == nil {
		err = rows.Fit(codec.MostBytes)
	}
	if err != nil {
		return err
	}
	b := rows.Bounds
	height, depth := b.H, 1
	if d := meta.Depth; d > 0 && b.H%d == 0 {
		height, depth = b.H/d, d
	}
	extent := fmt.Sprintf("0 %d 0 %d 0 %d", b.W, height, depth)
	fmt.Fprintf(w, `<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<ImageData WholeExtent="%s" Origin="0 0 0" Spacing="1 1 1">
<Piece Extent="%s">
<CellData Scalars="state"><DataArray type="UInt8" Name="state" format="appended" offset="0"/></CellData>
</Piece>
</ImageData>
<AppendedData encoding="raw">
_`, extent, extent)
	w.Write(binary.LittleEndian.AppendUint64(nil, uint64(b.W)*uint64(b.H))) // bytes of the array that follows
	if err := codec.WriteBytes(rows, w); err != nil {
		return err
	}
	w.WriteString("\n</AppendedData>\n</VTKFile>\n")
	return nil
}
