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

// FormatName is a name that says the format of a pattern file: its own, else that of the format asked for, else of RLE where it is a stream.
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

// CheckFormat refuses a --format that is none of a pattern file.
func CheckFormat(format string) error {
	if format != "" && IsNameless("."+format) {
		return fmt.Errorf("--format %s: want the suffix of a pattern file: rle, mc, cells, lif, life, png, npy, each also with .gz", format)
	}
	return nil
}
