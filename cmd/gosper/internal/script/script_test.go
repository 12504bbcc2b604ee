package script_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// report is the part of the summary that tests look at.
type report struct {
	Rule       string
	Topology   string
	Generation uint64
	Population int
	Box        struct{ X, Y, Width, Height int } `json:"bounding_box"`
	Hash       string
	Layers     []string
	Layer      int
	Message    string
	Out        []string
}

func (r *report) box() string {
	if r.Box.Width == 0 {
		return "-"
	}
	return fmt.Sprintf("%d,%d,%d,%d", r.Box.X, r.Box.Y, r.Box.Width, r.Box.Height)
}

// TestFunctions compares what the functions return with what Golly printed: golly FILE.lua > FILE.txt.
func TestFunctions(t *testing.T) {
	for _, name := range []string{"cells", "control"} {
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile("testdata/" + name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			o := clitest.Gosper(t, ".", "script", "testdata/"+name+".lua")
			got, lines := strings.Split(o.Stdout, "\n"), strings.Split(strings.TrimSpace(string(want)), "\n")
			if o.Code != 0 || len(got) < len(lines) {
				t.Fatalf("exit code %d, %d lines of %d: %s", o.Code, len(got), len(lines), o.Stderr)
			}
			for i, line := range lines {
				if got[i] != line {
					t.Errorf("line %d:\n got %s\nwant %s", i+1, got[i], line)
				}
			}
		})
	}
}

// TestGollysScripts runs the scripts that Golly brings, and compares their results with Golly's.
func TestGollysScripts(t *testing.T) {
	dir := "/usr/share/golly"
	if own := os.Getenv("GOLLY_DIR"); own != "" {
		dir = own
	}
	if _, err := os.Stat(filepath.Join(dir, "Scripts", "Lua", "gplus")); err != nil {
		t.Skip("Golly's scripts are not installed: ", err)
	}
	table, err := os.ReadFile("testdata/golly.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		rows++
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		t.Run(f[0], func(t *testing.T) {
			if sum := sumOf(t, dir, f[1]); sum != f[14] {
				t.Skipf("another version of Golly has another %s or gplus: %s, want %s", f[1], sum, f[14])
			}
			args := []string{"script", f[1], "--json"}
			for i, flag := range []string{2: "--pattern", 3: "--select", 6: "--clipboard"} {
				if flag == "" || f[i] == "-" {
					continue
				}
				if file := "testdata/" + f[i] + ".rle"; i != 3 && exists(file) {
					f[i] = file
				}
				args = append(args, flag, f[i])
			}
			for i, flag := range []string{4: "--answer", 5: "--event"} {
				if flag != "" && f[i] != "-" {
					for _, one := range strings.Split(f[i], "|") {
						args = append(args, flag, one)
					}
				}
			}
			o := clitest.Gosper(t, ".", args...)
			var r report
			if err := json.Unmarshal([]byte(o.Stdout), &r); err != nil || o.Code != 0 {
				t.Fatalf("exit code %d: %s", o.Code, o.Stderr)
			}
			message := strings.TrimSpace(strings.ReplaceAll(r.Message, "\n", " "))
			if message == "" {
				message = "-"
			}
			got := []string{
				r.Rule + strings.TrimSuffix(":"+r.Topology, ":T0"), fmt.Sprint(r.Generation), fmt.Sprint(r.Population), r.box(),
				fmt.Sprint(len(r.Layers)), message, r.Hash,
			}
			if want := f[7:14]; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
	if rows < 20 {
		t.Errorf("%d rows", rows)
	}
}

// sumOf identifies a script of Golly with the modules that it may use.
func sumOf(t *testing.T, golly, script string) string {
	t.Helper()
	folder := filepath.Join(golly, "Scripts", "Lua")
	modules, err := filepath.Glob(filepath.Join(folder, "gplus", "*.lua"))
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.New()
	for _, path := range append([]string{filepath.Join(folder, script)}, modules...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Skip(err)
		}
		hash.Write(text)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:8])
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// write makes a file in a new folder and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCommand(t *testing.T) {
	script := write(t, "a.lua", `local g = golly()
		print(g.getrule(), g.getpop(), #g.getselrect(), g.getstring("name?"), g.getevent())
		g.run(4) g.note("a note") g.show("shown")`)
	dir := filepath.Dir(script)
	o := clitest.Gosper(t, dir, "script", "a.lua", "--pattern", "glider", "--select", "all", "--answer", "a, b", "--event",
		"key x none",
		"--out", "o.rle", "--json")
	var r report
	if err := json.Unmarshal([]byte(o.Stdout), &r); err != nil || o.Code != 0 {
		t.Fatalf("exit code %d, %v: %s", o.Code, err, o.Stderr)
	}
	if want := "B3/S23\t5\t4\ta, b\tkey x none\na note\n"; o.Stderr != want {
		t.Errorf("the script printed %q, want %q", o.Stderr, want)
	}
	if r.Rule != "B3/S23" || r.Generation != 4 || r.Population != 5 || r.box() != "1,1,3,3" || r.Message != "shown" ||
		len(r.Out) != 1 {
		t.Errorf("summary %+v", r)
	}
	var again struct {
		Hash       string
		Generation uint64
	}
	o = clitest.Gosper(t, dir, "run", "o.rle", "-g", "0", "--json")
	if err := json.Unmarshal([]byte(o.Stdout), &again); err != nil || again.Hash != r.Hash || again.Generation != 4 {
		t.Errorf("the file has %+v, the summary %+v: %v", again, r, err)
	}
	o = clitest.Gosper(t, dir, "script", "a.lua", "--pattern", "glider", "--answer", "x", "--event", "key x none")
	if !strings.HasPrefix(o.Stdout,
		"B3/S23\t5\t0\tx\tkey x none\na note\nshown\nB3/S23 on the unbounded plane, generation 4\n  population  5\n  box         3×3 cells at 1,1\n") {
		t.Errorf("printed %q", o.Stdout)
	}
}

// TestErrors looks at the one line that says why a script has ended.
func TestErrors(t *testing.T) {
	for name, test := range map[string]struct {
		script, want string
		args         []string
		code         console.Status
	}{
		"syntax": {script: "x = ", want: `s.lua:1: unexpected symbol near <eof>`, code: console.Failure},
		"state": {
			script: "\nlocal g = golly() g.setcell(0, 0, 2)",
			want:   "s.lua:2: setcell: state 2: B3/S23 has states 0 to 1", code: console.Failure,
		},
		"overlay": {
			script: `local g = golly() pcall(g.overlay, "create 1 1")`,
			want:   "overlay: there is no window to draw on", code: console.Failure,
		},
		"unknown": {script: `golly().fly()`, want: "attempt to call a nil value (field 'fly')", code: console.Failure},
		"question": {
			script: `golly().getstring("how many?")`,
			want:   `the script asks "how many?": give the answer with --answer`, code: console.InputError,
		},
		"dialog": {
			script: `golly().opendialog("which one")`, want: `the script asks "which one"`,
			code: console.InputError,
		},
		"event": {script: `golly().getevent()`, want: "--event", code: console.InputError},
		"timeout": {
			script: `while true do end`, args: []string{"--timeout", "1ms"}, want: "ended by --timeout 1ms",
			code: console.Failure,
		},
		"steps": {
			script: `local g = golly() g.setcell(0, 0, 1) while true do g.run(1) end`,
			args:   []string{"--timeout", "1ms"}, want: "ended by --timeout 1ms", code: console.Failure,
		},
		"memory": {
			script: `local t = {} while true do t[#t + 1] = {} end`, args: []string{"--memory", "50M"},
			want: "the 50 MiB of memory", code: console.Failure,
		},
		"rule":   {script: `golly().setrule("nonsense")`, want: `rule "nonsense"`, code: console.Failure},
		"volume": {script: `golly().setrule("3D4,5/5:T8,8,8")`, want: "three dimensions", code: console.Failure},
		"select": {
			script: ``, args: []string{"--select", "1,2,3"}, want: `--select "1,2,3": want X,Y,W,H`,
			code: console.InputError,
		},
		"pattern": {
			script: ``, args: []string{"--pattern", "nosuchpattern"}, want: "nosuchpattern",
			code: console.InputError,
		},
		"format": {script: ``, args: []string{"--out", "x.exe"}, want: "x.exe", code: console.InputError},
		"module": {script: `require "nosuchmodule"`, want: "module 'nosuchmodule' not found", code: console.Failure},
		"write": {
			script: `golly().save("x.rle", "rle")`, want: "a script writes only files that --write names",
			code: console.Failure,
		},
		"read":   {script: `assert(io.open("/etc/hosts"))`, want: "that --read names", code: console.Failure},
		"parent": {script: `golly().open("../../x.rle")`, want: "that --read names", code: console.Failure},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "s.lua", test.script)
			cmd := clitest.Command(t, filepath.Dir(path), append([]string{"script", "s.lua"}, test.args...)...)
			var errors strings.Builder
			cmd.Stderr = &errors
			cmd.Run()
			lines := strings.Split(strings.TrimSpace(errors.String()), "\n")
			if code := console.Status(cmd.ProcessState.ExitCode()); code != test.code ||
				!strings.Contains(lines[len(lines)-1], test.want) {
				t.Errorf("exit code %d, %q; want %d, %q", code, errors.String(), test.code, test.want)
			}
		})
	}
	for _, args := range [][]string{{"script", "absent.lua"}, {"script", "absent.txt"}, {"script", "absent.py"}} {
		if o := clitest.Gosper(t, t.TempDir(), args...); o.Code != console.InputError || strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q", args, o.Code, o.Stderr)
		}
	}
}

// TestFiles writes and reads only what the command line allows.
func TestFiles(t *testing.T) {
	script := write(t, "s.lua", `local g = golly()
		g.new("a") g.putcells(g.parse("bo$2bo$3o!")) g.run(3)
		g.save("saved.rle", "rle") g.store({0, 0, 2, 0}, g.getdir("data") .. "kept.rle")
		local f = io.open(g.savedialog("where"), "w") f:write("text") f:close()
		print(#g.load(g.getdir("data") .. "kept.rle"), g.getfiles(g.getdir("data"))[1], io.open(g.getdir("temp") .. "none"))
		g.new("b") g.open("saved.rle") print(g.getgen(), g.getpop(), g.getname(), g.getpath():match("[^/\\]+$"))
		print(io.open(g.opendialog("what")):read("a"))
		f = io.open(g.getdir("rules") .. "ScriptsOwn.rule", "w")
		f:write("@RULE ScriptsOwn\n@TABLE\nn_states:3\nneighborhood:vonNeumann\nsymmetries:none\n0,1,0,0,0,2\n") f:close()
		g.setrule("ScriptsOwn") print(g.getrule(), g.numstates(), g.getalgo())`)
	dir := filepath.Dir(script)
	o := clitest.Gosper(t, dir, "script", "s.lua", "--write", "saved.rle", "--answer", "said.txt", "--answer", "said.txt")
	want := "4\tkept.rle\tnil"
	if o.Code != 0 || !strings.HasPrefix(o.Stdout, want) ||
		!strings.Contains(o.Stdout, "\n3\t5\tsaved.rle\tsaved.rle\ntext\nScriptsOwn\t3\tRuleLoader\n") {
		t.Errorf("exit code %d, %q, %s", o.Code, o.Stdout, o.Stderr)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "said.txt")); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	if exists("/golly-in-memory") {
		t.Error("a folder was made")
	}
	o = clitest.Gosper(t, dir, "script", "s.lua", "--write", "saved.rle", "--answer", "said.txt", "--answer", "said.txt")
	if o.Code != console.Failure || !strings.Contains(o.Stderr, "saved.rle exists: --force") {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
	if err := os.Symlink("/etc", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "l.lua"), []byte(`print(io.open("link/hosts"))`), 0o600); err != nil {
		t.Fatal(err)
	}
	if o = clitest.Gosper(t, dir, "script", "l.lua"); !strings.Contains(o.Stdout, "that --read names") {
		t.Errorf("a link leads out of the folder: %q", o.Stdout)
	}
}

// A script that is ended inside pcall cleans up after it has called continue.
func TestAbort(t *testing.T) {
	script := write(t, "s.lua", `local g = golly()
		local ok, e = pcall(function() g.setoption("showgrid", 0) g.exit("done") end)
		print(ok, e:match("GOLLY: ABORT SCRIPT")) print(pcall(g.getrule))
		g.continue(e) print(g.setoption("showgrid", 1))
		while true do local e = g.getevent() if e == "" then break end print(e) end`)
	o := clitest.Gosper(t, ".", "script", script, "--event", "key a none", "--event", "click 1 2 left none", "--json")
	var r report
	if err := json.Unmarshal([]byte(o.Stdout), &r); err != nil || r.Message != "done" || o.Code != 0 {
		t.Errorf("%v, message %q, exit code %d", err, r.Message, o.Code)
	}
	if !strings.HasPrefix(o.Stderr, "false\tGOLLY: ABORT SCRIPT\nfalse\t") ||
		!strings.HasSuffix(o.Stderr, "\n0\nkey a none\nclick 1 2 left none\n") {
		t.Errorf("printed %q", o.Stderr)
	}
}

// Large steps use hashed life, and cells can be changed afterwards.
func TestLargeSteps(t *testing.T) {
	script := write(t, "s.lua", `local g = golly()
		g.setbase(10) g.setstep(9) g.step() print(g.getgen(), g.getpop()) g.setcell(-100, -100, 1) g.run(1) print(g.getgen(), g.getpop(), g.getcell(-100, -100))
		g.reset() print(g.getgen(), g.getpop())`)
	o := clitest.Gosper(t, ".", "script", script, "--pattern", "gosper-gun")
	if want := "1000000000\t166666713\n1000000001\t166666715\t0\n0\t36\n"; o.Code != 0 ||
		!strings.HasPrefix(o.Stdout, want) {
		t.Errorf("exit code %d, %q, %s", o.Code, o.Stdout, o.Stderr)
	}
}

// A macrocell file stays a tree, of any size, and reset goes back to it.
func TestTree(t *testing.T) {
	script := write(t, "s.lua", `local g = golly()
		g.open("far.mc") print(g.getpop(), #g.getcells(g.getrect())) g.run(1000) g.run(1) print(g.getgen(), g.getpop())
		g.reset() print(g.getgen(), g.getpop(), table.concat(g.getrect(), " ")) g.setcell(0, 0, 1) print(g.getpop())`)
	// two blocks, 2^40 cells from each other
	var file strings.Builder
	file.WriteString("[M2] (gosper)\n#R B3/S23\n$$$$$$**$**$\n")
	for level := 4; level < 41; level++ {
		fmt.Fprintf(&file, "%d 0 0 0 %d\n", level, level-3)
	}
	fmt.Fprintf(&file, "41 %d 0 0 %d\n", 38, 38)
	if err := os.WriteFile(filepath.Join(filepath.Dir(script), "far.mc"), []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	o := clitest.Gosper(t, ".", "script", script)
	if want := "8\t16\n1001\t8\n0\t8\t"; o.Code != 0 || !strings.HasPrefix(o.Stdout, want) ||
		!strings.Contains(o.Stdout, "\n9\n") {
		t.Errorf("exit code %d, %q, %s", o.Code, o.Stdout, o.Stderr)
	}
}

// A tree with too many cells to list is run, counted and read in parts.
func TestManyCells(t *testing.T) {
	script := write(t, "s.lua", `local g = golly()
		g.setbase(10) g.setstep(9) g.step() print(g.getpop(), #g.getrect(), #g.getcells({0, 0, 100, 100}) > 50)
		print(pcall(g.getcells, g.getrect()))`)
	o := clitest.Gosper(t, ".", "script", script, "--pattern", "gosper-gun", "--memory", "300M")
	if want := "166666713\t4\ttrue\nfalse\t"; o.Code != 0 || !strings.HasPrefix(o.Stdout, want) ||
		!strings.Contains(o.Stdout, "not enough memory") {
		t.Errorf("exit code %d, %q, %s", o.Code, o.Stdout, o.Stderr)
	}
}

func TestSeed(t *testing.T) {
	script := write(
		t, "s.lua", `local g = golly() g.select({0, 0, 40, 40}) g.randfill(40) print(g.getpop(), math.random(1000000))`)
	run := func(seed string) string { return clitest.Gosper(t, ".", "script", script, "--seed", seed).Stdout }
	first := strings.Split(run("5"), "\n")[0]
	if again := strings.Split(run("5"), "\n")[0]; first != again {
		t.Errorf("%q, then %q", first, again)
	}
	if other := strings.Split(run("6"), "\n")[0]; first == other {
		t.Errorf("two seeds give %q", first)
	}
}

func TestPython(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	script := write(t, "s.py", `import golly as g
import helper
g.new("a")
g.putcells(g.parse("bo$2bo$3o!"), 10, 20)
g.run(100)
print(g.getrect(), g.getpop(), g.empty(), g.getpos(), g.getcells([0, 0, 40, 50]), g.getselrect(), helper.x)
print(g.evolve([0, 0, 1, 0, 2, 0], 1), g.transform([1, 2], 5, 6, 0, -1, 1, 0), g.join([1, 2], [1, 2, 3]), g.getstring("q"))
def attempt(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print(type(e).__name__, str(e)[:60])
attempt(g.setrule, "nonsense")
attempt(open, "/etc/hosts")
attempt(open, "written.txt", "w")
import subprocess
attempt(subprocess.run, ["ls"])
g.show("shown")
g.exit("bye")
print("not printed")
`)
	dir := filepath.Dir(script)
	if err := os.WriteFile(filepath.Join(dir, "helper.py"), []byte("x = 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := clitest.Gosper(t, dir, "script", "s.py", "--answer", "yes")
	for _, want := range []string{
		"[35, 45, 3, 3] 5 False ('0', '0') [36, 45, 37, 46, 35, 47, 36, 47, 37, 47] [] 7\n",
		"[1, -1, 1, 0, 1, 1] [3, 7] [1, 2, 1, 1, 2, 3, 0] yes\n", "error setrule: rule \"nonsense\"",
		"PermissionError /etc/hosts: a script reads", "PermissionError ",
		"a script may not use subprocess.Popen\nbye\nB3/S23 on the unbounded plane, generation 100\n",
	} {
		if !strings.Contains(o.Stdout, want) {
			t.Errorf("exit code %d, %q lacks %q, %s", o.Code, o.Stdout, want, o.Stderr)
		}
	}
	if exists(filepath.Join(dir, "written.txt")) || strings.Contains(o.Stdout, "not printed") {
		t.Errorf("printed %q", o.Stdout)
	}
	golly := t.TempDir() // without Python's modules, like Debian's package
	if err := os.MkdirAll(filepath.Join(golly, "Scripts", "Lua"), 0o700); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"import golly\n\ngolly.setcell(0, 0, 7)":  "f.py:3: setcell: state 7: B3/S23 has states 0 to 1",
		"x = (":                                   "f.py:1:",
		"import golly\ngolly.getstring('name?')":  "the script asks \"name?\": give the answer with --answer",
		"import golly\ngolly.overlay('create 1')": "overlay: there is no window to draw on",
		"print(1 / 0)":                            "f.py:1: ZeroDivisionError: division by zero",
		"import glife.text":                       "No module named 'glife': it is neither beside the script nor in " + golly,
	} {
		cmd := clitest.Command(t, t.TempDir(), "script", write(t, "f.py", text))
		cmd.Env = append(cmd.Environ(), "GOLLY_DIR="+golly)
		var errors strings.Builder
		cmd.Stderr = &errors
		cmd.Run()
		if cmd.ProcessState.Success() || !strings.Contains(errors.String(), want) ||
			strings.Count(errors.String(), "\n") != 1 {
			t.Errorf("%q: %q, want %q", text, errors.String(), want)
		}
	}
	loop := write(t, "f.py", "while True: pass\n")
	if o := clitest.Gosper(t, dir, "script", loop, "--timeout", "300ms"); !strings.Contains(o.Stderr,
		"ended by --timeout") {
		t.Errorf("%q", o.Stderr)
	}
}
