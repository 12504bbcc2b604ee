package pattern_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/pattern"
)

// suffixes lists the suffixes of file names. "" stands for input through a pipe.
var suffixes = []string{
	"", ".txt", ".gz", ".rle", ".mc", ".cells", ".lif", ".life", ".png", ".npy", ".pbm", ".pgm", ".mcl", ".rle.gz",
	".mc.gz",
}

// mustBeSense fails unless a file was refused in one line, or had something of a pattern in it.
func mustBeSense(t rapid.TB, file []byte, name string) {
	t.Helper()
	p, err := pattern.Options{MaxBytes: 1 << 20}.Read(context.Background(), bytes.NewReader(file), name)
	switch {
	case err != nil && strings.ContainsAny(err.Error(), "\n\r\x00"):
		t.Errorf("%.80q named %q: %q is not a line", file, name, err)
	case err == nil && p.Cells.Population() == 0 && p.Bounds.Empty() && p.Rule == "":
		t.Errorf("%.80q named %q is read as an empty %s", file, name, p.Format)
	}
}

func TestGarbageIsRefused(t *testing.T) {
	t.Run("bytes", rapid.MakeCheck(func(t *rapid.T) {
		file := rapid.SliceOf(rapid.Byte()).Draw(t, "file")
		mustBeSense(t, file, "garbage"+rapid.SampledFrom(suffixes).Draw(t, "suffix"))
	}))
	t.Run("text", rapid.MakeCheck(func(t *rapid.T) {
		file := rapid.StringMatching(`[ -~\n]{0,60}`).Draw(t, "file")
		mustBeSense(t, []byte(file), "garbage"+rapid.SampledFrom(suffixes).Draw(t, "suffix"))
	}))
	t.Run("known", func(t *testing.T) {
		for _, file := range []string{
			"", "\n", " \n\n", "#", "#C nothing\n", "#hello", "!", "$!", "b!", "!!\n", "!Name: a\n", "#D nobody\n", "#P",
			"#P 1 2\n", ".\n", "#P 1 2\n..\n", "#L .$\n",
			"#MCell", "\x00", "\x1f\x8b", "\x89PNG", "hello, world", "%PDF-1.7", "<html></html>", "{}", "[M2]", "\ufeff",
		} {
			for _, suffix := range suffixes {
				mustBeSense(t, []byte(file), "garbage"+suffix)
			}
		}
	})
}

// An error about a file that is not in a format must name the format of the file's suffix.
func TestGarbageIsCalledByItsName(t *testing.T) {
	const noise = "`\x93\x00\x01\xff\xfe\x05noise"
	for name, want := range map[string]string{
		"a.npy": "it is not npy: the signature at the start is missing",
		"a.png": "it is not png: the signature at the start is missing",
		"a.pgm": "it is not pgm: the signature at the start is missing",
		"a.mc":  "it is not macrocell: the signature at the start is missing",
		"a.rle": "it is not rle: it is not a text file", "a.mcl": "it is not mcell: it is not a text file",
		"a.cells":  "it is not plaintext: it is not a text file",
		"a.rle.gz": "it is not rle: it is not a text file", "a.gz": "unknown format", "a": "unknown format",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(noise), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := pattern.ReadFile(path); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
