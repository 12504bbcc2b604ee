package cli

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

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

// TestPagesRun runs what people will paste from the pages for beginners and those about chance, in an empty
// folder. No command may fail. The pictures of the gallery must come out to the byte, and the commands about
// models must make all pictures of them.
func TestPagesRun(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds for each page")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash: the commands of the pages are not run")
	}
	const docs = "../../../../docs/"
	for page, commands := range map[string]int{"tutorial": 10, "howto": 18, "gallery": 11, "models": 15, "rules": 4} {
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
			cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GOSPER_ENGINE=",
				"GOSPER_THREADS=2")
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
			if err != nil || len(pictures) != 11 {
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

// skippedCommands are commands of the pages that cannot run here, by what they contain, and why.
var skippedCommands = map[string]string{
	"gosper view":         "it needs a terminal",
	"gosper serve":        "it serves until it is ended",
	"soups.toml":          "the spec is the reader's",
	"--nats ":             "it needs a server of jobs",
	"--hosts ":            "it waits for workers",
	"merge soups":         "the folder is the reader's",
	"soup.rle":            "the file is the reader's",
	"#SBATCH":             "it is for Slurm",
	"SLURM_ARRAY_TASK_ID": "it is for Slurm",
	"python3 ":            "it needs numpy",
	"go test":             "it is the suite that runs this",
	"go run":              "it is compiled once more, which .ci/run does",
	"gosper verify":       "it takes minutes",
	"gosper bench":        "it measures",
}

// smaller replaces numbers in a command by ones that a test has time for: few universes, of few cells, for
// fewer generations.
func smaller(command string) string {
	command = strings.ReplaceAll(command, " --engine cuda", "")
	switch {
	case strings.Contains(command, ".toml"):
		command += " -n 6 -g 40 --every 10 --warmup 20"
	case strings.Contains(command, "gosper ensemble run"):
		command = regexp.MustCompile(`--rule B/S\.\.\S+`).ReplaceAllString(command, "--rule B3/S23..B34/S234")
		command = numbers(command, ` (?:-n|--per-job) (\d+)`, func(n int) int { return min(n, 6) })
		// Sizes stay different, and even if they were.
		command = numbers(command, ` --size (\d+)`, func(n int) int { return min(n, 24+2*bits.Len(uint(n))) })
		if g := regexp.MustCompile(` -g (\d+)`).FindStringSubmatch(command); g != nil {
			by := 1
			for last, _ := strconv.Atoi(g[1]); last/by >= 1_000; by *= 10 {
			}
			shorter := func(n int) int { return max(n/by, min(n, 1)) }
			command = numbers(command, ` (?:-g|--every|--warmup|--damage-at) (\d+)`, shorter)
			listed := regexp.MustCompile(` --(?:times|waiting|dump) [\d,.]+`)
			command = listed.ReplaceAllStringFunc(command, func(times string) string {
				return numbers(times, `(\d+)`, shorter)
			})
		}
	case strings.Contains(command, "gosper census"):
		if command = numbers(command, ` -n (\d+)`, func(n int) int {
			return min(n, 200)
		}); !strings.Contains(command, " -n ") {
			command = strings.Replace(command, "gosper census", "gosper census -n 200", 1)
		}
	case strings.Contains(command, "gosper run"), strings.Contains(command, "gosper render"):
		command = numbers(command, ` --size (\d+)`, func(n int) int { return min(n, 512) })
		command = numbers(command, ` -g (\d+)`, func(n int) int { return min(n, 1000) })
	}
	return command
}

// numbers replaces the numbers that a pattern has in parentheses.
func numbers(text, pattern string, by func(n int) int) string {
	var b strings.Builder
	done := 0
	for _, at := range regexp.MustCompile(pattern).FindAllStringSubmatchIndex(text, -1) {
		n, err := strconv.Atoi(text[at[2]:at[3]])
		if err != nil {
			continue
		}
		b.WriteString(text[done:at[2]])
		b.WriteString(strconv.Itoa(by(n)))
		done = at[3]
	}
	return b.String() + text[done:]
}

// fewer are messages of commands that were understood, but that need more universes than smaller leaves.
var fewer = regexp.MustCompile(
	`no error at|no sizes from|has no logarithm|no crossing from|want two|has no [a-z]+ of each universe in this range`)

// longestCommand ends a command that would wait forever. All of them take seconds.
const longestCommand = 5 * time.Minute

// TestEveryPageRuns runs every fenced command of the other pages, one after the other in a folder for each
// page, on smaller universes than the page has. What cannot run is listed with its reason.
func TestEveryPageRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds for each page")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash: the commands of the pages are not run")
	}
	used := map[string]bool{}
	var mu sync.Mutex
	t.Run("pages", func(t *testing.T) {
		for page, commands := range map[string]int{
			"README": 20, "docs/census": 7, "docs/clusters": 4, "docs/ensembles": 29, "docs/measures": 2, "docs/physics": 45,
			"docs/viewing": 4,
		} {
			t.Run(filepath.Base(page), func(t *testing.T) {
				t.Parallel()
				dir, bin := t.TempDir(), t.TempDir()
				if err := os.Symlink(clitest.Program(t), filepath.Join(bin, "gosper")); err != nil {
					t.Skip("no symbolic links: the commands of the pages are not run:", err)
				}
				script := strings.ReplaceAll(shellOf(t, "../../../../"+page+".md"), "\\\n", "")
				writeSpecs(t, "../../../../"+page+".md", dir)
				found := 0
				for command := range strings.Lines(script) {
					command = strings.TrimSpace(command)
					if command == "" || strings.HasPrefix(command, "#!") {
						continue
					}
					found++
					if why := skipped(command); why != "" {
						mu.Lock()
						used[why] = true
						mu.Unlock()
						continue
					}
					ctx, cancel := context.WithTimeout(t.Context(), longestCommand)
					cmd := exec.CommandContext(ctx, bash, "-euo", "pipefail", "-c", smaller(command))
					cmd.Dir, cmd.WaitDelay = dir, time.Second
					cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GOSPER_ENGINE=",
						"GOSPER_THREADS=2")
					if said, err := cmd.CombinedOutput(); err != nil && !fewer.Match(said) {
						t.Errorf("%s\n(run as %s): %v\n%s", command, smaller(command), err, said)
					}
					cancel()
				}
				if found < commands {
					t.Errorf("%d commands, want %d or more", found, commands)
				}
			})
		}
	})
	for contains := range skippedCommands {
		if !used[contains] {
			t.Errorf("no command has %q: take it from the list", contains)
		}
	}
}

// writeSpecs writes the specs of a page into a folder. The first line of each is a comment that names its file.
func writeSpecs(t *testing.T, page, dir string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range regexp.MustCompile("(?ms)^```toml\n(# ([a-z]+\\.toml)\n.*?)^```$").FindAllSubmatch(text, -1) {
		if err := os.WriteFile(filepath.Join(dir, string(spec[2])), spec[1], 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// skipped returns the entry of skippedCommands for a command, or an empty text.
func skipped(command string) string {
	for _, contains := range slices.Sorted(maps.Keys(skippedCommands)) {
		if strings.Contains(command, contains) {
			return contains
		}
	}
	return ""
}

// commandsOf returns the commands of gosper in the code of a page: in its fences for shells, and in lines that begin
// with four spaces. Words behind # are remarks.
func commandsOf(text string) (commands []string) {
	fence := ""
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
		line = strings.TrimRight(line, "\n")
		if language, ok := strings.CutPrefix(strings.TrimSpace(line), "```"); ok {
			if fence != "" {
				language = ""
			} else if language == "" {
				language = "none"
			}
			fence = language
			continue
		}
		if fence == "" && strings.HasPrefix(line, "    --") {
			commands = append(commands, line) // the rest of a command without a backslash before it
		}
		if fence != "sh" && (fence != "" || !strings.HasPrefix(line, "    gosper ")) {
			continue
		}
		for _, part := range shellParts(line) {
			if i := strings.Index(part+" ", "gosper "); i == 0 || i > 0 && part[i-1] == ' ' {
				commands = append(commands, part[i:])
			}
		}
	}
	return commands
}

// shellParts cuts a line at what stands between commands, and leaves out the names of files that a shell opens.
func shellParts(line string) (parts []string) {
	var quote, last rune
	start := 0
	end := func(i int) { parts, start = append(parts, strings.TrimSpace(line[start:i])), i+1 }
	for i, c := range line {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '#' && last == ' ':
			end(i)
			return parts
		case strings.ContainsRune("|;&<>()`", c):
			end(i)
		}
		last = c
	}
	end(len(line))
	return parts
}

// placeholder reports whether words stand for what a reader or a shell puts there, as in -n N and --out DIR, or ask for
// help.
func placeholder(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains([]string{"N", "COMMAND", "R", "FILE", "DIR", "--help"}, word) ||
			strings.HasPrefix(word, "~/") || strings.Contains(word, "$")
	})
}

// TestCommandsOfPagesParse takes every command of every page as a reader pastes it, remarks and all.
func TestCommandsOfPagesParse(t *testing.T) {
	n := 0
	err := filepath.WalkDir("../../../..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "node_modules" || e.Name() == "dist" || e.Name() == ".git"):
			return filepath.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, command := range commandsOf(string(text)) {
			args, err := splitWords(strings.ReplaceAll(command, `"`, `'`))
			if err != nil {
				t.Errorf("%s: %s: %v", path, command, err)
				continue
			}
			parser, err := newParser(&commands{})
			if err != nil {
				return err
			}
			n++
			if args = args[1:]; placeholder(args) {
				continue
			}
			if _, err := parser.Parse(args); err != nil {
				t.Errorf("%s: %s: %v", path, command, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 350 {
		t.Errorf("%d commands found", n)
	}
}
