package output

import (
	"fmt"

	"github.com/gosper-life/gosper/pattern"
)

// IsNameless reports whether the name of a pattern file does not say its format.
func IsNameless(path string) bool {
	_, _, err := pattern.FormatOf(path)
	return err != nil
}

// FormatName returns a name from which the format of a pattern file follows. It is the file's own name if its suffix
// is known, and otherwise a name made from the given format. Without either, a stream is RLE.
func FormatName(path, format string) string {
	switch {
	case !IsNameless(path):
		return path
	case format != "":
		return "." + format
	case IsStream(path):
		return ".rle"
	}
	return path
}

// CheckFormat refuses a --format that is not a format of pattern files.
func CheckFormat(format string) error {
	if format != "" && IsNameless("."+format) {
		return fmt.Errorf(
			"--format %s: want the suffix of a pattern file: rle, mc, cells, lif, life, png, pbm, pgm, npy, each also with .gz", format)
	}
	return nil
}
