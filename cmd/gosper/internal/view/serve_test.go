package view

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
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
		{[]string{"--strangers"}, "--strangers: without --token"},
		{[]string{"--strangers", "--token", "a long secret", "--sessions", "0"}, "contradict"},
		{[]string{"--ensemble", "none"}, "none holds no ensemble"},
		{[]string{"--listen", "127.0.0.1:99999999"}, "--listen"},
		{[]string{"no-such-pattern"}, "no such file"},
	} {
		got := clitest.Finish(t, clitest.Command(t, t.TempDir(), append([]string{"serve", "--size", "64"}, c.args...)...))
		if got.Code != console.InputError || !strings.Contains(got.Stderr, c.want) || strings.Count(got.Stderr, "\n") != 1 {
			t.Errorf("serve %v: code %d, %q, want %d and a line with %q", c.args, got.Code, got.Stderr, console.InputError, c.want)
		}
	}
}

// TestServe runs the program, asks for its page and statistics, and ends it.
func TestServe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts to send")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := clitest.Command(t, t.TempDir(), "serve", "--listen", "127.0.0.1:0", "--size", "128", "--seed", "7", "--token", "a long secret", "--play")
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
