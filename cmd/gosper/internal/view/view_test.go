package view

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/pattern"
)

// terminal is a terminal with a shell in it, made by tmux.
type terminal struct {
	t      *testing.T
	socket string
}

func newTerminal(t *testing.T, columns, rows int) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: the viewer is not tried in a terminal")
	}
	dir := t.TempDir()
	term := &terminal{t, filepath.Join(dir, "tmux")}
	term.tmux("-f", os.DevNull, "new-session", "-d", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows), "-c", dir, "env",
		"PS1=$ ", "sh")
	t.Cleanup(func() { exec.Command("tmux", "-S", term.socket, "kill-server").Run() })
	term.tmux("set-option", "-g", "remain-on-exit", "on")
	term.wants(`(?m)^\$`)
	return term
}

func (m *terminal) tmux(args ...string) string {
	m.t.Helper()
	cmd := exec.CommandContext(m.t.Context(), "tmux", append([]string{"-S", m.socket}, args...)...)
	cmd.Env = append(os.Environ(), "GOSPER_ENGINE=", "GOSPER_THREADS=2", "TERM=xterm-256color")
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// keys presses keys by tmux's names for them.
func (m *terminal) keys(names ...string) {
	m.t.Helper()
	m.tmux(append([]string{"send-keys"}, names...)...)
}

// types types a text, and enter.
func (m *terminal) types(text string) {
	m.t.Helper()
	m.tmux("send-keys", "-l", text)
	m.keys("Enter")
}

func (m *terminal) screen() string { return m.tmux("capture-pane", "-p") }

// wants waits until the screen matches a regular expression.
func (m *terminal) wants(expression string) string {
	m.t.Helper()
	want := regexp.MustCompile(expression)
	var screen string
	clitest.Until(m.t, expression+" is on the screen", func() bool {
		screen = m.screen()
		return want.MatchString(screen)
	})
	return screen
}

// gunAt30 is the gun and its first glider, as far as half blocks show them.
const gunAt30 = `(?s)▄ █.*▄▀▀ ▄ +██ +██`

func TestViewInATerminal(t *testing.T) {
	m := newTerminal(t, 90, 28)
	m.types(clitest.Program(t) + " view gosper-gun")
	first := m.wants(`gen 0 .*pop 36 .*B3/S23  Gosper glider gun`)
	if !regexp.MustCompile(gunAt30).MatchString(first) {
		t.Errorf("the gun is not on the screen:\n%s", first)
	}
	m.keys("Space")
	m.wants(`■ gen 1 `)
	m.keys("g")
	m.types("30")
	m.wants(`■ gen 30 .*pop 41 `)
	m.keys("Enter")
	m.wants(`▶ gen [0-9]{2,}`)
	m.keys("x")
	m.wants(`full rate .*gen/s`)
	m.keys("Enter")
	m.wants(`■ gen`)
	m.keys("C-r")
	m.wants(`■ gen 0 .*pop 36 `)
	m.keys("?")
	m.wants(`next generation`)
	m.keys("Escape")
	m.tmux("resize-window", "-x", "60", "-y", "20")
	m.wants(`(?m)\A(.*\n){18}■ gen 0 `)
	m.tmux("resize-window", "-x", "10", "-y", "4")
	m.wants(`needs 40×5`)
	m.tmux("resize-window", "-x", "90", "-y", "28")
	m.wants(gunAt30)

	m.keys("d", "Up", "Up", "Up", "Up", "Up", "Up", "Up", "Up", "Space")
	m.wants(`pop 37 (.|\n)*drawing`)
	m.keys("Escape") // with a key right after it, it would be that key with alt
	m.wants(`pop 37 (.|\n)*\? for help`)
	m.keys("s")
	m.types("drawn.rle")
	m.wants(`saved as drawn.rle`)
	p, err := pattern.ReadFile(filepath.Join(filepath.Dir(m.socket), "drawn.rle"))
	if err != nil || p.Cells.Population() != 37 {
		t.Errorf("drawn.rle: %v, %v", p, err)
	}
	m.keys("r")
	m.types("B3/S2x")
	m.wants(`unexpected 'x'`)
	m.keys("q")
	// The shell's screen is back, with its cursor, echo and cooked lines.
	m.wants(`(?m)^\$$`)
	m.types("echo back; tty; stty -a | tr ';' '\\n' | grep -c '[^-]echo '")
	if screen := m.wants(`(?s)back\n.*\n1\n`); strings.Contains(screen, "pop") {
		t.Errorf("the viewer left something behind:\n%s", screen)
	}
	if modes := m.tmux("display-message", "-p",
		"#{cursor_flag}#{alternate_on}#{mouse_any_flag}#{keypad_flag}"); modes != "1000\n" {
		t.Errorf("cursor, alternate screen, mouse and keypad are %s", modes)
	}
}

// TestCopyAndPasteInATerminal: what is selected goes to the terminal's clipboard, and text that the terminal
// pastes floats until it is put down.
func TestCopyAndPasteInATerminal(t *testing.T) {
	m := newTerminal(t, 80, 24)
	m.tmux("set-option", "-s", "set-clipboard", "on")
	m.types(clitest.Program(t) + " view glider")
	m.wants(`gen 0 .*pop 5 `)
	m.keys("a")
	m.wants(`3×3  selecting`)
	m.keys("C-x")
	m.wants(`pop 0 (.|\n)*copied 3×3 cells as RLE`)
	clitest.Until(t, "the terminal has the text", func() bool {
		return strings.Contains(m.tmux("show-buffer"), "rule = B3/S23\nbo$2bo$3o!")
	})
	m.keys("C-v")
	m.wants(`pasting \(or\)`)
	m.keys("Enter")
	m.wants(`pop 5 `)
	m.keys("Escape")
	m.wants(`\? for help`)
	m.tmux("set-buffer", "#C pasted from elsewhere\nx = 4, y = 1, rule = B3/S23\n4o!\n")
	m.tmux("paste-buffer", "-p")
	m.wants(`4×1  pasting`)
	m.keys("S-Down", "Enter")
	m.wants(`pop 9 `)
	m.keys("z", "z")
	m.wants(`pop 0 `)
	m.keys("q")
	m.wants(`(?m)^\$$`)
	if modes := m.tmux("display-message", "-p", "#{cursor_flag}#{alternate_on}#{mouse_any_flag}"); modes != "100\n" {
		t.Errorf("cursor, alternate screen and mouse are %s", modes)
	}
}

// TestKilledViewersRestoreTheTerminal: SIGTERM ends the viewer as q does.
func TestKilledViewersRestoreTheTerminal(t *testing.T) {
	m := newTerminal(t, 80, 24)
	m.types("sh -c 'echo $$ > pid; exec " + clitest.Program(t) + " view --size 200 --seed 1 --play'; echo ended $?")
	m.wants(`▶ gen [0-9]{2,}`)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(m.socket), "pid"))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("kill", strings.TrimSpace(string(text))).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	m.wants(`ended 130`)
	if modes := m.tmux("display-message", "-p", "#{cursor_flag}#{alternate_on}#{mouse_any_flag}"); modes != "100\n" {
		t.Errorf("cursor, alternate screen and mouse are %s", modes)
	}
}

// TestViewReadsPatternsFromPipes: standard input may be a pattern, for keys come from the terminal itself.
func TestViewReadsPatternsFromPipes(t *testing.T) {
	m := newTerminal(t, 80, 24)
	m.types("echo 'bo$2bo$3o!' | " + clitest.Program(t) + " view - --braille")
	m.wants(`gen 0 .*pop 5 `)
	m.keys("Space")
	m.wants(`gen 1 .*pop 5 `)
	m.keys("q")
	m.wants(`(?m)^\$$`)
}

// TestViewShowsWhileItReads: the viewer appears at once while its pattern is still being read, and it can be ended
// then.
func TestViewShowsWhileItReads(t *testing.T) {
	m := newTerminal(t, 80, 24)
	m.types("mkfifo slow.rle; " + clitest.Program(t) + " view slow.rle --play")
	m.wants(`loading slow.rle…(.|\n)*\? for help`)
	m.keys("Space", "?")
	m.wants(`next generation`)
	m.keys("?")
	m.wants(`loading slow.rle…`)
	m.keys("q")
	m.wants(`(?m)^\$$`)
	m.types(clitest.Program(t) + " view slow.rle --play")
	m.wants(`loading slow.rle…`)
	if err := os.WriteFile(filepath.Join(filepath.Dir(m.socket), "slow.rle"),
		[]byte("x = 3, y = 3, rule = B36/S23\nbo$2bo$3o!\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	m.wants(`▶ gen [0-9]+ .*pop 5 .*B36/S23`)
	m.keys("q")
	m.wants(`(?m)^\$$`)
	m.types(clitest.Program(t) + " view slow.rle; echo ended $?")
	m.wants(`loading slow.rle…`)
	if err := os.WriteFile(filepath.Join(filepath.Dir(m.socket), "slow.rle"), []byte("x = 3, y = 3, rule = B3/S23\n3k!\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	m.wants(`gosper: slow.rle: rle: line 2(.|\n)*ended 2`)
}
