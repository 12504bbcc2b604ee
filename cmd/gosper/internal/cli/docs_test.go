package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

// shellOf returns the shell commands of a page, in order.
func shellOf(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	inside := false
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.TrimSpace(line) == "```sh":
			inside = true
		case strings.TrimSpace(line) == "```":
			inside = false
		case inside:
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestPagesRun runs what people will paste from the pages for beginners and those about chance, in an empty folder. No command may fail. The pictures of the
// gallery must come out to the byte, and the commands about models must make all pictures of them.
func TestPagesRun(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds for each page")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash: the commands of the pages are not run")
	}
	const docs = "../../../../docs/"
	for page, commands := range map[string]int{"tutorial": 10, "howto": 18, "gallery": 10, "models": 15, "rules": 4} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			script := shellOf(t, docs+page+".md")
			if n := strings.Count("\n"+script, "\ngosper "); n < commands {
				t.Fatalf("%d commands, want %d or more", n, commands)
			}
			dir, bin := t.TempDir(), t.TempDir()
			if err := os.Symlink(clitest.Program(t), filepath.Join(bin, "gosper")); err != nil {
				t.Skip("no symbolic links: the commands of the pages are not run:", err)
			}
			cmd := exec.Command(bash, "-euo", "pipefail", "-c", script)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GOSPER_ENGINE=", "GOSPER_THREADS=2")
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			if page == "models" {
				pictures, err := filepath.Glob(docs + "models/*.png")
				if err != nil || len(pictures) < 10 {
					t.Fatal(pictures, err)
				}
				for _, picture := range pictures {
					if _, err := os.Stat(filepath.Join(dir, filepath.Base(picture))); err != nil {
						t.Error(err)
					}
				}
			}
			if page != "gallery" {
				return
			}
			pictures, err := filepath.Glob(docs + "gallery/*.png")
			if err != nil || len(pictures) != 10 {
				t.Fatal(pictures, err)
			}
			for _, picture := range pictures {
				want, err := os.ReadFile(picture)
				if err != nil {
					t.Fatal(err)
				}
				got, err := os.ReadFile(filepath.Join(dir, filepath.Base(picture)))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s is not what its command makes", picture)
				}
			}
		})
	}
}
