package pattern

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/pattern/internal/codec"
	"github.com/gosper-life/gosper/pattern/internal/life105"
	"github.com/gosper-life/gosper/pattern/internal/life106"
	"github.com/gosper-life/gosper/pattern/internal/macrocell"
	"github.com/gosper-life/gosper/pattern/internal/mcell"
	"github.com/gosper-life/gosper/pattern/internal/npy"
	"github.com/gosper-life/gosper/pattern/internal/plaintext"
	"github.com/gosper-life/gosper/pattern/internal/png"
	"github.com/gosper-life/gosper/pattern/internal/rle"
	"github.com/gosper-life/gosper/pattern/internal/vti"
)

// Format is a kind of pattern file.
type Format uint8

// The formats, in the order of the table formats.
const (
	RLE       Format = iota + 1 // Golly's run lengths, up to 256 states
	Macrocell                   // Golly's quadtrees, up to 256 states, at Golly's coordinates
	Plaintext                   // .cells, one character for each cell, two states
	Life105                     // blocks of characters at Golly's coordinates, two states
	Life106                     // a list of the live cells at Golly's coordinates
	PNG                         // two states: 1-bit grey, white is live; more: the palette index is the state
	NPY                         // a NumPy array of uint8, shape (H, W) or (D, H, W), C order; bool can be read, too
	MCell                       // .mcl, can only be read
	RLE3                        // .rle3, run lengths in three dimensions, of Golly's 3D.lua
	VTI                         // .vti, VTK's image data for ParaView; can only be written
	PBM                         // two states: a bit for each cell, black is live
	PGM                         // grey levels, which are the states; of 256 levels or more, the brighter half is live
)

// formats holds the codec of each format. A new format needs only a codec here and a constant above.
var formats = [...]codec.Codec{
	RLE - 1:       rle.Codec,
	Macrocell - 1: macrocell.Codec,
	Plaintext - 1: plaintext.Codec,
	Life105 - 1:   life105.Codec,
	Life106 - 1:   life106.Codec,
	PNG - 1:       png.Codec,
	NPY - 1:       npy.Codec,
	MCell - 1:     mcell.Codec,
	RLE3 - 1:      rle.Volumes,
	VTI - 1:       vti.Codec,
	PBM - 1:       bits,
	PGM - 1:       greys,
}

func (f Format) known() bool { return f > 0 && int(f) <= len(formats) }

// String returns the format's name as error messages use it.
func (f Format) String() string {
	if !f.known() {
		return fmt.Sprintf("Format(%d)", uint8(f))
	}
	return formats[f-1].Name
}

// LosesRule reports whether files of the format cannot state this rule, so that readers assume Conway's Life.
// The size of a bounded grid is lost as well; that does not count here.
func (f Format) LosesRule(rule string) bool {
	const life = "B3/S23"
	notation, _, _ := strings.Cut(rule, ":")
	return f.known() && !formats[f-1].Rule && rule != "" && !strings.EqualFold(notation, life)
}

// HoldsBackground reports whether files of the format can hold a universe with a live background, as under B0 rules.
// Such a file gives the rule and the generation, and has state 0 and the state of the background exchanged.
func (f Format) HoldsBackground() bool { return f == RLE || f == Macrocell }

// namesOf lists the names of the formats for which wanted is true.
func namesOf(wanted func(codec.Codec) bool) string {
	var names []string
	for _, c := range formats {
		if wanted(c) {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, ", ")
}

func readable(c codec.Codec) bool { return c.Read != nil }

func writable(c codec.Codec) bool { return c.Write != nil }

// FormatOf returns the format of path's suffix, and whether a following ".gz" asks for compression. For any
// other suffix the error lists the known ones.
func FormatOf(path string) (format Format, gzipped bool, err error) {
	name, gzipped := strings.CutSuffix(strings.ToLower(path), ".gz")
	suffix := filepath.Ext(name)
	for i, c := range formats {
		if slices.Contains(c.Suffixes, suffix) {
			return Format(i + 1), gzipped, nil
		}
	}
	var known []string
	for _, c := range formats {
		if c.Write != nil {
			known = append(known, c.Suffixes...)
		}
	}
	return 0, false, fmt.Errorf("%s: unknown suffix %q; known are %s, each also with .gz", path, suffix,
		strings.Join(known, " "))
}

// headBytes is the size of the start of a file from which its format is detected, and the size of the read buffers.
const headBytes = 1 << 16

// detect finds the format of a file from its first bytes. A signature decides. For text without one, the suffix
// of name decides, and without a known suffix, the first line that is not a comment. It refuses a file that is
// not text and has no signature.
func detect(head []byte, name string) (Format, error) {
	for i, c := range formats {
		if slices.ContainsFunc(c.Signatures, func(s string) bool { return bytes.HasPrefix(head, []byte(s)) }) {
			return Format(i + 1), nil
		}
	}
	named, _, err := FormatOf(name)
	known := err == nil
	switch {
	case len(head) == 0:
		return 0, errors.New("the file is empty")
	case known && formats[named-1].Signed:
		return 0, fmt.Errorf("it is not %s: the signature at the start is missing", named)
	case isBinary(head) && known:
		return 0, fmt.Errorf("it is not %s: it is not a text file", named)
	case isBinary(head):
		return 0, fmt.Errorf("unknown format; known are %s", namesOf(readable))
	case known:
		return named, nil
	}
	placed := false
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
		case line[0] == '#':
			placed = placed || len(line) > 1 && line[1] == 'P'
		case placed && !rle.IsHeader(line):
			return Life105, nil
		case line[0] == '!', len(bytes.Trim(line, ".O*")) == 0:
			return Plaintext, nil
		default:
			return RLE, nil
		}
	}
	return RLE, nil
}

// isBinary reports whether there are bytes that no text contains: control characters other than white space and
// the end mark of DOS.
func isBinary(head []byte) bool {
	return bytes.ContainsFunc(head, func(c rune) bool { return c < ' ' && !codec.IsSpace(byte(c)) && c != 0x1a })
}

// decompress returns the plain content of r and its name without ".gz".
func decompress(r io.Reader, name string) (*bufio.Reader, string, error) {
	in := bufio.NewReaderSize(r, headBytes)
	if magic, _ := in.Peek(2); string(magic) != "\x1f\x8b" {
		return in, name, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, "", fmt.Errorf("gzip: %w", err)
	}
	if strings.HasSuffix(strings.ToLower(name), ".gz") {
		name = name[:len(name)-len(".gz")]
	}
	return bufio.NewReaderSize(z, headBytes), name, nil
}
