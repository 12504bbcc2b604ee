package origin_test

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
)

// TestRulesOfAnArchiveAreBounded: two rule files of 40 MiB, which take 80 kB in an archive, are more than it may have.
func TestRulesOfAnArchiveAreBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zip")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(file)
	const table = "@TABLE\nn_states:2\nneighborhood:vonNeumann\nsymmetries:none\n000001\n"
	blank := "@RULE x\n" + table + strings.Repeat(strings.Repeat(" ", 1<<20)+"\n", 40)
	for _, entry := range [][2]string{
		{"1.rule", blank},
		{"2.rule", blank},
		{"a.rle", "x = 3, y = 1, rule = B3/S23\n3o!\n"},
	} {
		w, err := z.Create(entry[0])
		if err == nil {
			_, err = w.Write([]byte(entry[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	file.Close()
	_, err = origin.OpenPattern(t.Context(), path, pattern.Options{})
	if err == nil || !strings.Contains(err.Error(), `"2.rule": the rule files have more than 67108864 bytes in all`) {
		t.Error(err)
	}
}
