package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// clone makes a repository of the files of this one, as they are now, with one commit that is tagged v1.2.3.
func clone(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git: nothing is released")
	}
	dir := t.TempDir()
	root := filepath.Join("..", "..")
	list := exec.Command("git", "ls-files", "-co", "-z", "--exclude-standard")
	list.Dir = root
	names, err := output(list)
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(root, name))
		if err != nil || !info.Mode().IsRegular() {
			continue // removed, and not yet from the index
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "-A"},
		{"commit", "-q", "-m", "A release"},
		{"tag", "v1.2.3"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(),
			"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z",
			"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
		if _, err := output(cmd); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// host is the platform of this machine, if programs are released for it.
func host(t *testing.T) Platform {
	t.Helper()
	p, err := ParsePlatform(runtime.GOOS + "/" + runtime.GOARCH)
	if err != nil {
		t.Skip(err)
	}
	return p
}

// TestRelease builds the release of one platform twice, in different folders: all bytes must be the same, and
// the files must be what they say.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program: not with -short")
	}
	here := host(t)
	var outs, sums []string
	first, second := clone(t), filepath.Join(t.TempDir(), "another", "folder")
	if _, err := output(exec.Command("git", "clone", "-q", first, second)); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{first, second} {
		r := Release{Source: source, Out: t.TempDir(), Platforms: []Platform{here}}
		if err := r.Make(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(r.Out, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		outs, sums = append(outs, r.Out), append(sums, string(text))
	}
	if sums[0] != sums[1] {
		t.Fatalf("two builds of one tag differ:\n%s\n%s", sums[0], sums[1])
	}
	base := "gosper_1.2.3_" + here.OS + "_" + here.Arch
	t.Run("archive", func(t *testing.T) { testArchive(t, outs[0], base) })
	t.Run("bill", func(t *testing.T) { testBill(t, filepath.Join(outs[0], base+".cdx.json")) })
	t.Run("recipes", func(t *testing.T) { testRecipes(t, outs[0], sums[0]) })
	t.Run("deb", func(t *testing.T) { testDeb(t, outs[0], here) })
	t.Run("rpm", func(t *testing.T) { testRPM(t, outs[0], here) })
	t.Run("debian", func(t *testing.T) { testDebian(t, first, outs[0], here) })
}

// testArchive unpacks the archive, and runs the program.
func testArchive(t *testing.T, out, base string) {
	suffix, read := ".tar.gz", untar
	if runtime.GOOS == "windows" {
		suffix, read = ".zip", unzip
	}
	data, err := os.ReadFile(filepath.Join(out, base+suffix))
	if err != nil {
		t.Fatal(err)
	}
	files := read(t, data)
	program := base + "/" + host(t).program()
	for _, name := range []string{
		program, base + "/LICENSE", base + "/README.md", base + "/CHANGELOG.md", base + "/THIRD-PARTY-LICENSES.txt",
		base + "/man/gosper.1", base + "/man/gosper-bench-speed.1", base + "/completions/_gosper",
		base + "/completions/gosper.fish", base + "/completions/gosper.bash",
	} {
		if len(files[name]) < 100 {
			t.Errorf("%s has %d bytes", name, len(files[name]))
		}
	}
	licences := files[base+"/THIRD-PARTY-LICENSES.txt"]
	for _, want := range []string{
		"github.com/alecthomas/kong v", "Permission is hereby granted",
		"Go, its runtime and standard library: LICENSE",
	} {
		if !bytes.Contains(licences, []byte(want)) {
			t.Errorf("the licences lack %q", want)
		}
	}
	path := filepath.Join(t.TempDir(), host(t).program())
	if err := os.WriteFile(path, files[program], 0o755); err != nil {
		t.Fatal(err)
	}
	said, err := output(exec.Command(path, "version"))
	if err != nil || !strings.HasPrefix(string(said), "gosper v1.2.3 ") {
		t.Errorf("%q, %v", said, err)
	}
}

func untar(t *testing.T, data []byte) map[string][]byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

func unzip(t *testing.T, data []byte) map[string][]byte {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		if files[f.Name], err = fs.ReadFile(z, f.Name); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestArchivesOfBothKinds checks that what is packed comes out, here also for the other systems.
func TestArchivesOfBothKinds(t *testing.T) {
	files := []file{{name: "a", data: []byte("A"), runs: true}, {name: "b/c", data: nil}}
	for name, kind := range map[string]struct {
		pack   func(string, []file, time.Time) ([]byte, error)
		unpack func(*testing.T, []byte) map[string][]byte
	}{"tar": {tarball, untar}, "zip": {zipped, unzip}} {
		data, err := kind.pack("x", files, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		got := kind.unpack(t, data)
		if len(got) != 2 || string(got["x/a"]) != "A" || len(got["x/b/c"]) != 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func testBill(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var bom cyclonedx.BOM
	if err := json.Unmarshal(data, &bom); err != nil {
		t.Fatal(err)
	}
	if bom.Metadata.Component.Version != "v1.2.3" {
		t.Errorf("it is about %+v", bom.Metadata.Component)
	}
	listed := slices.ContainsFunc(*bom.Components, func(c cyclonedx.Component) bool {
		return strings.HasPrefix(c.PackageURL, "pkg:golang/github.com/alecthomas/kong@v")
	})
	if len(*bom.Components) < 20 || !listed {
		t.Errorf("%d components, kong among them: %v", len(*bom.Components), listed)
	}
}

// testRecipes holds the recipes to the archive of the source.
func testRecipes(t *testing.T, out, sums string) {
	var sum string
	for line := range strings.Lines(sums) {
		if before, isSource := strings.CutSuffix(line, "  gosper_1.2.3_source.tar.gz\n"); isSource {
			sum = before
		}
	}
	if len(sum) != 64 {
		t.Fatalf("no sum of the source in\n%s", sums)
	}
	for _, name := range []string{"gosper.rb", "meta.yaml"} {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte(sum)) || !bytes.Contains(text, []byte("/v1.2.3/gosper_1.2.3_source.tar.gz")) ||
			bytes.Contains(text, []byte("<<")) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	if ruby, err := exec.LookPath("ruby"); err != nil {
		t.Log("no ruby: the formula is not parsed")
	} else if _, err := output(exec.Command(ruby, "-c", filepath.Join(out, "gosper.rb"))); err != nil {
		t.Error(err)
	}
}

// TestVersion checks that nothing is released without a version.
func TestVersion(t *testing.T) {
	for version, want := range map[string]bool{
		"v1.2.3": true, "v0.0.0-20260102030405-c72cf97a06e0": true,
		"(devel)": false, "": false,
	} {
		got, err := versionOf(&debug.BuildInfo{Main: debug.Module{Version: version}})
		if (err == nil) != want || want && got != version {
			t.Errorf("%q: %q, %v", version, got, err)
		}
	}
}

// TestLinkerFindsTheVersion checks that what recipes tell the linker to set is there: of a name that is not, it says
// nothing.
func TestLinkerFindsTheVersion(t *testing.T) {
	source, err := os.ReadFile("../../internal/result/manifest.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(source, []byte("\nvar release string\n")) {
		t.Error("internal/result has no variable release")
	}
	for _, name := range []string{"homebrew/gosper.rb.tmpl", "conda/meta.yaml.tmpl", "container/Containerfile"} {
		text, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("-X github.com/gosper-life/gosper/internal/result.release=")) {
			t.Errorf("%s does not set the version", name)
		}
	}
}
