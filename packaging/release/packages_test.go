package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// testDeb installs the package into an empty root, uses what it brings, and removes it.
func testDeb(t *testing.T, out string, p Platform) {
	if p.OS != "linux" {
		t.Skip("there are packages for Linux only")
	}
	deb := filepath.Join(out, "gosper_1.2.3_"+p.Arch+".deb")
	if _, err := os.Stat(deb); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("no dpkg: the package is not installed")
	}
	root := t.TempDir()
	admin := filepath.Join(t.TempDir(), "dpkg")
	for _, dir := range []string{"info", "updates", "triggers", "parts"} {
		if err := os.MkdirAll(filepath.Join(admin, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"status", "available"} {
		if err := os.WriteFile(filepath.Join(admin, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	dpkg := func(args ...string) {
		t.Helper()
		args = append([]string{
			"--instdir=" + root, "--admindir=" + admin, "--log=/dev/null", "--force-not-root",
			"--force-bad-path", "--force-depends",
		}, args...)
		if _, err := output(exec.Command("dpkg", args...)); err != nil {
			t.Fatal(err)
		}
	}
	dpkg("--install", deb)

	t.Run("run", func(t *testing.T) { testImage(t, filepath.Join(root, "usr/bin/gosper")) })
	t.Run("man", func(t *testing.T) { testManual(t, filepath.Join(root, "usr/share/man/man1")) })
	t.Run("completion", func(t *testing.T) {
		script := `source "$1"; COMP_WORDS=(gosper run --de) COMP_CWORD=2; _gosper; echo "${COMPREPLY[@]}"`
		said, err := output(exec.Command("bash", "-c", script, "bash",
			filepath.Join(root, "usr/share/bash-completion/completions/gosper")))
		if err != nil || strings.TrimSpace(string(said)) != "--density" {
			t.Errorf("%q, %v", said, err)
		}
		for _, name := range []string{"zsh/vendor-completions/_gosper", "fish/vendor_completions.d/gosper.fish"} {
			if _, err := os.Stat(filepath.Join(root, "usr/share", name)); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("papers", func(t *testing.T) {
		for _, name := range []string{"copyright", "changelog.gz", "THIRD-PARTY-LICENSES.txt"} {
			if _, err := os.Stat(filepath.Join(root, "usr/share/doc/gosper", name)); err != nil {
				t.Error(err)
			}
		}
	})

	dpkg("--remove", "gosper")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			t.Errorf("%s stays after the package has gone", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// testImage makes the root of the container's image for the program, and runs it there in a namespace of its
// own, with nothing else on the disk.
func testImage(t *testing.T, program string) {
	root := filepath.Join(t.TempDir(), "root")
	if _, err := output(exec.Command("../container/root", program, root)); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("unshare", "--map-root-user", "chroot", root, "/usr/bin/gosper", "version").Run(); err != nil {
		if exec.Command("unshare", "--map-root-user", "chroot", "/", "true").Run() == nil {
			t.Fatalf("the program does not start in %s: %v", root, err)
		}
		t.Skip("no chroot here: the program is not run in a root of its own")
	}
	said, err := output(exec.Command("unshare", "--map-root-user", "chroot", root, "/usr/bin/gosper", "run", "gosper-gun",
		"--to", "300", "--json", "--out", "/tmp/gun.rle"))
	if err != nil || !bytes.Contains(said, []byte(`"population": 86`)) {
		t.Errorf("%s, %v", said, err)
	}
	if _, err := os.Stat(filepath.Join(root, "tmp", "gun.rle")); err != nil {
		t.Error(err)
	}
}

// testManual sets the pages in type: no warning, and the text is there.
func testManual(t *testing.T, dir string) {
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("no groff: the manual is not set in type")
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1.gz"))
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		cmd := exec.Command("bash", "-o", "pipefail", "-c", `gzip -dc "$1" | groff -man -Kutf8 -Tutf8 -ww -rLL=100n -P-cbu`,
			"bash", page)
		var set, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &set, &said
		if err := cmd.Run(); err != nil || said.Len() > 0 {
			t.Fatalf("%s: %v\n%s", page, err, said.Bytes())
		}
		if filepath.Base(page) == "gosper-run.1.gz" {
			for _, want := range []string{"gosper run gosper-gun -g 3000 --out gun.mc", "--density=D", "UNIVERSE"} {
				if !strings.Contains(set.String(), want) {
					t.Errorf("%s lacks %q:\n%s", page, want, set.Bytes())
				}
			}
		}
	}
}

// testRPM lists the contents of the package with rpm.
func testRPM(t *testing.T, out string, p Platform) {
	if p.OS != "linux" {
		t.Skip("there are packages for Linux only")
	}
	paths, err := filepath.Glob(filepath.Join(out, "gosper-1.2.3-1.*.rpm"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%v, %v", paths, err)
	}
	if _, err := exec.LookPath("rpm"); err != nil {
		t.Skip("no rpm: the package is not read")
	}
	said, err := output(exec.Command("rpm", "--query", "--package", "--nosignature", "--list", paths[0]))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"/usr/bin/gosper\n", "/usr/share/man/man1/gosper-run.1.gz\n",
		"/usr/share/zsh/site-functions/_gosper\n", "/usr/share/licenses/gosper/LICENSE\n",
	} {
		if !strings.Contains(string(said), name) {
			t.Errorf("no %sin\n%s", name, said)
		}
	}
}
