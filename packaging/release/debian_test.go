package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testDebian installs the .deb and the wheel into a fresh Debian, as a new user would: the manual, names that
// bash completes, the tutorial's code in Python, and nothing left when the package has gone. GOSPER_DEBIAN
// names an archive of such a root. This makes one:
//
//	mmdebstrap --variant=minbase --include=python3-venv,python3-pandas,man-db,bash-completion bookworm debian.tar
func testDebian(t *testing.T, source, out string, p Platform) {
	archive := os.Getenv("GOSPER_DEBIAN")
	if archive == "" {
		t.Skip("GOSPER_DEBIAN names no archive of a Debian root: the package and the wheel are not installed in one")
	}
	root := t.TempDir()
	if _, err := output(exec.Command("tar", "-x", "-f", archive, "-C", root)); err != nil {
		t.Skip("the root cannot be unpacked here (", err, "): the package and the wheel are not installed in one")
	}
	// inside runs a script in the root, with its own /proc and no network, so that all dependencies must be in the
	// files.
	run := func(script string) ([]byte, error) {
		enter := `mount -t proc proc "$1/proc" && exec chroot "$1" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -euo pipefail -c "$2"`
		return output(exec.Command("unshare", "--mount", "--net", "bash", "-c", enter, "enter", root, script))
	}
	if _, err := run("true"); err != nil {
		t.Skip("no root of one's own can be entered here (", err, "): the package and the wheel are not installed in one")
	}
	inside := func(t *testing.T, script string) string {
		t.Helper()
		said, err := run(script)
		if err != nil {
			t.Fatalf("%s\n%v", script, err)
		}
		return string(said)
	}
	bring := func(path string) {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "tmp", filepath.Base(path)), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := func() []string {
		return strings.Fields(inside(t,
			`find / -xdev -path /proc -prune -o -path /tmp -prune -o -path /var/lib/dpkg -prune -o -path /var/log -prune -o -path /var/cache -prune -o -print | sort`))
	}

	before := files()
	bring(filepath.Join(out, "gosper_1.2.3_"+p.Arch+".deb"))
	inside(t, "dpkg --install /tmp/gosper_*.deb")
	t.Run("run", func(t *testing.T) {
		if said := inside(t, "gosper version; gosper run gosper-gun --to 300 --json --out /tmp/gun.rle"); !strings.HasPrefix(
			said, "gosper v1.2.3 ") ||
			!strings.Contains(said, `"population": 86`) {
			t.Error(said)
		}
	})
	t.Run("man", func(t *testing.T) {
		for _, page := range []string{"gosper", "gosper-run"} {
			if said := inside(t, "man --warnings "+page+" | cat"); !strings.Contains(said, "NAME") ||
				!strings.Contains(said, page+" ") {
				t.Errorf("man %s:\n%s", page, said)
			}
		}
	})
	t.Run("completion", func(t *testing.T) {
		// As bash does it: the file is found by the command's name.
		script := `set +eu; source /usr/share/bash-completion/bash_completion; _completion_loader gosper; COMP_WORDS=(gosper run --de) COMP_CWORD=2; _gosper; echo "${COMPREPLY[@]}"`
		if said := inside(t, script); strings.TrimSpace(said) != "--density" {
			t.Errorf("%q", said)
		}
	})
	inside(t, "dpkg --remove gosper")
	for _, path := range files() {
		if _, found := slices.BinarySearch(before, path); !found {
			t.Errorf("%s stays after the package has gone", path)
		}
	}

	t.Run("wheel", func(t *testing.T) {
		wheel := exec.Command("python3", filepath.Join("python", "wheel.py"), "--out", t.TempDir())
		wheel.Dir = source
		path, err := output(wheel)
		if err != nil {
			t.Fatal(err)
		}
		bring(strings.TrimSpace(string(path)))
		inside(
			t, "python3 -m venv --system-site-packages /opt/gosper && /opt/gosper/bin/pip install --quiet --no-index /tmp/gosper-*.whl")
		tutorial, err := os.ReadFile(filepath.Join(source, "docs", "tutorial.md"))
		if err != nil {
			t.Fatal(err)
		}
		code := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(tutorial)
		if code == nil {
			t.Fatal("the tutorial has no Python")
		}
		if err := os.WriteFile(filepath.Join(root, "tmp", "tutorial.py"), code[1], 0o644); err != nil {
			t.Fatal(err)
		}
		const mean = "181.235" // of the population
		if said := inside(t, "cd /tmp && /opt/gosper/bin/python tutorial.py"); !strings.Contains(said, mean) {
			t.Error(said)
		}
	})
}
