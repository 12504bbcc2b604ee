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
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/guard"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
)

// TestServeRefuses holds that no slip of a flag lets strangers in.
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

// TestServeKeeps: a universe of one's own is there again after the server was interrupted, and after it was
// killed as it had been kept before.
func TestServeKeeps(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts to send")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	dir := t.TempDir()
	serve := func() (cmd *exec.Cmd, address string, out *bufio.Reader) {
		t.Helper()
		cmd = clitest.Command(t, dir, "serve", "--listen", "127.0.0.1:0", "--size", "64", "--sessions-dir", "kept")
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill() })
		out = bufio.NewReader(pipe)
		for {
			line, err := out.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if at, ok := strings.CutPrefix(strings.TrimSpace(line), "gosper serve: http"); ok {
				return cmd, "ws" + at + "u/mine/socket", out
			}
		}
	}
	// come opens the universe with a key, or a new one, and returns what the page is told of it.
	come := func(address, key string) (about web.About, conn *websocket.Conn) {
		t.Helper()
		protocols := []string{guard.Protocol}
		if key != "" {
			protocols = append(protocols, guard.Key+base64.RawURLEncoding.EncodeToString([]byte(key)))
		}
		conn, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{Subprotocols: protocols})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.CloseNow() })
		_, message, err := conn.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var m struct{ Session web.About }
		if err := json.Unmarshal(message, &m); err != nil {
			t.Fatal(err)
		}
		return m.Session, conn
	}
	cmd, address, out := serve()
	mine, conn := come(address, "")
	if !mine.Fresh || mine.EditKey == "" {
		t.Fatalf("a new universe: %+v", mine)
	}
	send := func(conn *websocket.Conn, message string) {
		t.Helper()
		if err := conn.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	// shows waits for a universe under a rule.
	shows := func(conn *websocket.Conn, rule string) {
		t.Helper()
		send(conn, `{"do":"view","x":0,"y":0,"scale":0,"w":8,"h":8}`)
		for sequence := 1; ; {
			kind, message, err := conn.Read(ctx)
			if err != nil {
				t.Fatal(err)
			}
			var m struct {
				Status *struct{ Rule string }
			}
			switch {
			case kind == websocket.MessageBinary:
				send(conn, fmt.Sprintf(`{"do":"ack","sequence":%d}`, sequence))
				sequence++
			case json.Unmarshal(message, &m) == nil && m.Status != nil && m.Status.Rule == rule:
				return
			}
		}
	}
	shows(conn, "B3/S23") // the first one is there
	send(conn, `{"do":"soup","rule":"B36/S23:T64,64","density":0.5,"seed":"9"}`)
	shows(conn, "B36/S23:T64,64")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(out)
	if err := cmd.Wait(); err != nil || !strings.Contains(string(rest), "universes kept in kept: 1\n") {
		t.Errorf("it ends with %v and says %s", err, rest)
	}
	for range 2 { // the file stays while somebody is there, so a killed server loses only what came after
		cmd, address, _ = serve()
		again, conn := come(address, mine.EditKey)
		if again.Fresh || again.WatchKey != mine.WatchKey {
			t.Fatalf("it comes back as %+v", again)
		}
		shows(conn, "B36/S23:T64,64")
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
	}
}
