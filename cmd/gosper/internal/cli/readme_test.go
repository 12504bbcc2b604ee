package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestReadmeProvidesItsFiles checks that the README's commands, pasted one after the other, only read files that
// earlier commands have written.
func TestReadmeProvidesItsFiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	writes := []string{"--out", "-o", "--checkpoint", "--series"}
	files := []string{".rle", ".mc", ".cells", ".lif", ".life", ".png", ".gif", ".npy", ".mcl", ".gz", ".ckpt", ".csv"}
	var written []string
	commands := 0
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "gosper" {
			continue
		}
		commands++
		var made []string
		for i, word := range words[1:] {
			switch before := words[i]; {
			case !slices.Contains(files, filepath.Ext(word)):
			case slices.Contains(writes, before), words[1] == "convert" && i == 2:
				made = append(made, word)
			case !slices.Contains(written, word):
				t.Errorf("%s: nothing has written %s", line, word)
			}
		}
		written = append(written, made...)
	}
	if commands < 20 {
		t.Errorf("%d commands found", commands)
	}
}
