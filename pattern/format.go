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

	"github.com/gosper-life/gosper/grid"
)

// Format is a kind of pattern file.
type Format uint8

// The formats, in the order of the codecs table.
const (
	RLE       Format = iota + 1 // Golly's run lengths, up to 256 states
	Macrocell                   // Golly's quadtrees, up to 256 states, at Golly's coordinates
	Plaintext                   // .cells, a character a cell, two states
	Life105                     // blocks of characters at Golly's coordinates, two states
	Life106                     // a list of the live cells at Golly's coordinates
	PNG                         // two states: 1-bit grey, white is live; more: the palette index is the state
	NPY                         // a NumPy array of uint8, shape (H, W), C order; bool is read too
	MCell                       // .mcl, for reading only
)

type codec struct {
	name     string
	suffixes []string // the first is the usual one
	read     func(*bufio.Reader, *Pattern, *canvas) error
	write    func(*bufio.Writer, grid.Source, Meta) error
}

var codecs = [...]codec{
	RLE - 1:       {"rle", []string{".rle"}, readRLE, writeRLE},
	Macrocell - 1: {"macrocell", []string{".mc"}, readMacrocell, writeMacrocell},
	Plaintext - 1: {"plaintext", []string{".cells"}, readPlaintext, writePlaintext},
	Life105 - 1:   {"life 1.05", []string{".lif"}, readLife105, writeLife105},
	Life106 - 1:   {"life 1.06", []string{".life"}, readLife106, writeLife106},
	PNG - 1:       {"png", []string{".png"}, readPNG, writePNG},
	NPY - 1:       {"npy", []string{".npy"}, readNPY, writeNPY},
	MCell - 1:     {"mcell", []string{".mcl"}, readMCell, nil},
}

// String returns the format's name as error messages use it.
func (f Format) String() string {
	if f == 0 || int(f) > len(codecs) {
		return fmt.Sprintf("Format(%d)", uint8(f))
	}
	return codecs[f-1].name
}

func formatNames(writable bool) string {
	var names []string
	for _, c := range codecs {
		if c.write != nil || !writable {
			names = append(names, c.name)
		}
	}
	return strings.Join(names, ", ")
}

// FormatOf returns the format that the suffix of path asks for, and whether a further ".gz" asks for compression. It
// reports an error that names the known suffixes for any other.
func FormatOf(path string) (format Format, gzipped bool, err error) {
	name, gzipped := strings.CutSuffix(strings.ToLower(path), ".gz")
	suffix := filepath.Ext(name)
	for i, c := range codecs {
		if slices.Contains(c.suffixes, suffix) {
			return Format(i + 1), gzipped, nil
		}
	}
	var known []string
	for _, c := range codecs {
		if c.write != nil {
			known = append(known, c.suffixes...)
		}
	}
	return 0, false, fmt.Errorf("%s: unknown suffix %q; known are %s, each also with .gz", path, suffix, strings.Join(known, " "))
}

// headBytes is how much of a file is looked at to tell its format, and the size of the read buffers.
const headBytes = 1 << 16

// detect tells the format of a file from its first bytes. A signature decides; text without one is taken as the suffix
// of name says, and without a known suffix by the look of its first line that is not a comment. What is no text and has no
// signature is refused.
func detect(head []byte, name string) (Format, error) {
	signatures := []struct {
		prefix string
		format Format
	}{
		{pngSignature, PNG},
		{npySignature, NPY},
		{"[M2]", Macrocell},
		{"#Life 1.05", Life105},
		{"#Life 1.06", Life106},
		{"#MCell", MCell},
	}
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.prefix)) {
			return s.format, nil
		}
	}
	named, _, err := FormatOf(name)
	known := err == nil
	switch {
	case len(head) == 0:
		return 0, errors.New("the file is empty")
	case known && !codecs[named-1].text():
		return 0, fmt.Errorf("it is not %s: such files begin otherwise", named)
	case isBinary(head) && known:
		return 0, fmt.Errorf("it is not %s: it is no text", named)
	case isBinary(head):
		return 0, fmt.Errorf("it is of no known format; known are %s", formatNames(false))
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
		case placed && !isRLEHeader(line):
			return Life105, nil
		case line[0] == '!', len(bytes.Trim(line, ".O*")) == 0:
			return Plaintext, nil
		default:
			return RLE, nil
		}
	}
	return RLE, nil
}

// isBinary reports whether bytes are there that no text has: control characters but white space and the end mark of DOS.
func isBinary(head []byte) bool {
	return bytes.ContainsFunc(head, func(c rune) bool { return c < ' ' && !isSpace(byte(c)) && c != 0x1a })
}

// text reports whether files of the format may lack a signature.
func (c *codec) text() bool { return c.name != "png" && c.name != "npy" && c.name != "macrocell" }

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
