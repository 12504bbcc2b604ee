package view

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/guard"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
)

// TestServeRefuses checks that no slip of a flag lets strangers in.
func TestServeRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--listen", "0.0.0.0:0"}, "lets other machines in"},
		{[]string{"--listen", ":0"}, "lets other machines in"},
		{[]string{"--listen", "[::]:0"}, "lets other machines in"},
		{[]string{"--listen", "192.0.2.1:0"}, "lets other machines in"},
		{[]string{"--listen", "example.com:0"}, "lets other machines in"},
		{[]string{"--listen", "127.0.0.1"}, "want an address and a port"},
		{[]string{"--listen", "0.0.0.0:0", "--token", "short"}, "8 characters"},
		{[]string{"--token", "a long secret", "--insecure"}, "contradict"},
		{[]string{"--viewers", "0"}, "1 or more"},
		{[]string{"--sessions", "-1"}, "--sessions -1: want 0 or more"},
		{[]string{"--sessions-each", "0"}, "--sessions-each 0: want 1 or more"},
		{[]string{"--sessions-idle", "5ms"}, "--sessions-idle 5ms: want 1s or more"},
		{[]string{"--sessions-memory", "64M"}, "--sessions-memory: 64 MiB for 16 sessions: each needs 8 MiB"},
		{[]string{"--sessions-dir", "kept", "--sessions", "0"}, "--sessions-dir and --sessions 0 contradict"},
		{[]string{"--sessions-dir", "kept", "--sessions-kept", "0"}, "--sessions-kept 0: want 1 or more"},
		{[]string{"--sessions-dir", os.DevNull}, "--sessions-dir: " + os.DevNull},
		{[]string{"--sessions-disk", "much"}, "want a size such as 800M"},
		{[]string{"--strangers"}, "--strangers: without --token"},
		{[]string{"--strangers", "--token", "a long secret", "--sessions", "0"}, "contradict"},
		{[]string{"--ensemble", "none"}, "none holds no ensemble"},
		{[]string{"--listen", "127.0.0.1:99999999"}, "--listen"},
		{[]string{"no-such-pattern"}, "no such file"},
	} {
		got := clitest.Finish(t, clitest.Command(t, t.TempDir(), append([]string{"serve", "--size", "64"}, c.args...)...))
		if got.Code != console.InputError || !strings.Contains(got.Stderr, c.want) || strings.Count(got.Stderr, "\n") != 1 {
			t.Errorf("serve %v: code %d, %q, want %d and a line with %q", c.args, got.Code, got.Stderr, console.InputError,
				c.want)
		}
	}
}

// TestServe runs the program, asks for its page and statistics, and ends it.
func TestServe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts to send")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := clitest.Command(t, t.TempDir(), "serve", "--listen", "127.0.0.1:0", "--size", "128", "--seed", "7", "--token",
		"a long secret", "--play")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var problems bytes.Buffer
	cmd.Stderr = &problems
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err, problems.String())
	}
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "gosper serve: ")
	if !ok || strings.Contains(line, "secret") {
		t.Fatalf("it says %q, want its address and no secret", line)
	}
	ask := func(path, token string) (int, []byte) {
		t.Helper()
		r, err := http.NewRequestWithContext(ctx, "GET", address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, body
	}
	if code, body := ask("", ""); code != 200 || !bytes.Contains(body, []byte("<title>Gosper</title>")) {
		t.Errorf("the page: %d, %.100s", code, body)
	}
	if code, body := ask("u/list.json", "a long secret"); code != 200 || string(body) != "[]\n" {
		t.Errorf("the list of sessions: %d, %s", code, body)
	}
	if code, _ := ask("u/list.json", "wrong"); code != 401 {
		t.Errorf("the list of sessions for a wrong token: %d", code)
	}
	if code, _ := ask("stats", "wrong"); code != 401 {
		t.Errorf("statistics for a wrong token: %d", code)
	}
	var stats struct {
		Status struct {
			Generation string
			Rule       string
			Soup       struct{ Seed string }
		}
	}
	for {
		code, body := ask("stats", "a long secret")
		if err := json.Unmarshal(body, &stats); err != nil || code != 200 {
			t.Fatal(code, err)
		}
		if stats.Status.Generation != "0" {
			break
		}
	}
	if stats.Status.Rule != "B3/S23:T128,128" || stats.Status.Soup.Seed != "7" {
		t.Errorf("it shows %+v", stats.Status)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || problems.Len() > 0 {
		t.Errorf("it ends with %v, %s", err, problems.String())
	}
}

// starts starts a server, and returns what it prints.
func starts(t *testing.T, cmd *exec.Cmd) *bufio.Reader {
	t.Helper()
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return bufio.NewReader(pipe)
}

// listens reads the address of the socket of a universe from what a server prints.
func listens(out *bufio.Reader) (address string, err error) {
	for {
		line, err := out.ReadString('\n')
		if err != nil {
			return "", fmt.Errorf("it ends before it listens: %w", err)
		}
		if at, ok := strings.CutPrefix(strings.TrimSpace(line), "gosper serve: http"); ok {
			return "ws" + at + "u/mine/socket", nil
		}
	}
}

// serving are its arguments.
var serving = []string{"serve", "--listen", "127.0.0.1:0", "--size", "64"}

// guest is somebody who looks at a universe.
type guest struct {
	ctx    context.Context
	conn   *websocket.Conn
	about  web.About // what the page is told of it
	frames int       // that have come
}

// come opens a universe with a key, or a new one.
func come(ctx context.Context, address, key string) (*guest, error) {
	protocols := []string{guard.Protocol}
	if key != "" {
		protocols = append(protocols, guard.Key+base64.RawURLEncoding.EncodeToString([]byte(key)))
	}
	conn, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{Subprotocols: protocols})
	if err != nil {
		return nil, err
	}
	g := &guest{ctx: ctx, conn: conn}
	_, message, err := conn.Read(ctx)
	if err != nil {
		conn.CloseNow()
		return nil, err
	}
	var m struct{ Session web.About }
	err = json.Unmarshal(message, &m)
	g.about = m.Session
	return g, err
}

func (g *guest) send(message string) error {
	return g.conn.Write(g.ctx, websocket.MessageText, []byte(message))
}

// sees waits for a universe under one of some rules that is not being loaded any more, and returns which.
func (g *guest) sees(rules ...string) (string, error) {
	if err := g.send(`{"do":"view","x":0,"y":0,"scale":0,"w":8,"h":8}`); err != nil {
		return "", err
	}
	for {
		kind, message, err := g.conn.Read(g.ctx)
		if err != nil {
			return "", err
		}
		var m struct {
			Status *struct {
				Rule    string
				Loading *float64
			}
		}
		switch {
		case kind == websocket.MessageBinary:
			g.frames++
			if err := g.send(fmt.Sprintf(`{"do":"ack","sequence":%d}`, g.frames)); err != nil {
				return "", err
			}
		case json.Unmarshal(message, &m) == nil && m.Status != nil && m.Status.Loading == nil &&
			slices.Contains(rules, m.Status.Rule):
			return m.Status.Rule, nil
		}
	}
}

// fills waits for a universe under one of some rules, and fills it again.
func (g *guest) fills(rule string, old ...string) error {
	if _, err := g.sees(old...); err != nil {
		return err
	}
	if err := g.send(fmt.Sprintf(`{"do":"soup","rule":%q,"density":0.5,"seed":"9"}`, rule)); err != nil {
		return err
	}
	_, err := g.sees(rule)
	return err
}

// keepsOne makes a universe of the name mine, has a server keep it, and returns its keys.
func keepsOne(ctx context.Context, t *testing.T, dir string) web.About {
	t.Helper()
	cmd := clitest.Command(t, dir, append(slices.Clone(serving), "--sessions-dir", "kept")...)
	cmd.Stderr = os.Stderr
	out := starts(t, cmd)
	t.Cleanup(func() { cmd.Process.Kill() })
	address, err := listens(out)
	if err != nil {
		t.Fatal(err)
	}
	g, err := come(ctx, address, "")
	if err != nil {
		t.Fatal(err)
	}
	defer g.conn.CloseNow()
	if !g.about.Fresh || g.about.EditKey == "" {
		t.Fatalf("a new universe: %+v", g.about)
	}
	if err := g.fills("B36/S23:T64,64", "B3/S23"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(out)
	if err := cmd.Wait(); err != nil || !strings.Contains(string(rest), "universes kept in kept: 1\n") {
		t.Errorf("it ends with %v and says %s", err, rest)
	}
	return g.about
}

// TestServeKeeps: a universe of one's own is there again after the server was interrupted, and after it was
// killed as it had been kept before.
func TestServeKeeps(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts to send")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	dir := t.TempDir()
	mine := keepsOne(ctx, t, dir)
	for range 2 { // the file stays while somebody is there, so a killed server loses only what came after
		cmd := clitest.Command(t, dir, append(slices.Clone(serving), "--sessions-dir", "kept")...)
		cmd.Stderr = os.Stderr
		out := starts(t, cmd)
		t.Cleanup(func() { cmd.Process.Kill() })
		address, err := listens(out)
		if err != nil {
			t.Fatal(err)
		}
		again, err := come(ctx, address, mine.EditKey)
		if err != nil {
			t.Fatal(err)
		}
		defer again.conn.CloseNow()
		if again.about.Fresh || again.about.WatchKey != mine.WatchKey {
			t.Fatalf("it comes back as %+v", again.about)
		}
		if _, err := again.sees("B36/S23:T64,64"); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
	}
}
