package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Platform is an operating system and a processor, by Go's names.
type Platform struct{ OS, Arch string }

// Platforms are those that a release is for.
var Platforms = []Platform{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

// ParsePlatform reads "linux/amd64".
func ParsePlatform(name string) (Platform, error) {
	for _, p := range Platforms {
		if p.String() == name {
			return p, nil
		}
	}
	return Platform{}, fmt.Errorf("no platform %q: want some of %v", name, Platforms)
}

// String is as in "linux/amd64".
func (p Platform) String() string { return p.OS + "/" + p.Arch }

func (p Platform) program() string {
	if p.OS == "windows" {
		return "gosper.exe"
	}
	return "gosper"
}

// Release says what to build, and where.
type Release struct {
	Source    string // a clone of the repository without changes
	Out       string // the folder for the files
	Platforms []Platform

	work    string    // a temporary folder
	version string    // as "v1.2.3", from the tag
	time    time.Time // of the commit; all files have it
}

// number is the version as package managers write it, "1.2.3".
func (r *Release) number() string { return strings.TrimPrefix(r.version, "v") }

// name is the first part of the names of the files.
func (r *Release) name() string { return "gosper_" + r.number() }

// Make builds everything.
func (r *Release) Make() error {
	changes, err := r.git("status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("the source has changes that are not committed:\n%s", changes)
	}
	seconds, err := r.git("log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	r.time = time.Unix(at, 0).UTC()
	if r.work, err = os.MkdirTemp("", "gosper-release-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	if err := os.MkdirAll(r.Out, 0o777); err != nil {
		return err
	}

	here := Platform{runtime.GOOS, runtime.GOARCH}
	builds := map[Platform]*build{}
	for _, p := range append([]Platform{here}, r.Platforms...) {
		if builds[p] == nil {
			fmt.Println("building for", p)
			if builds[p], err = r.build(p); err != nil {
				return err
			}
		}
	}
	if r.version, err = versionOf(builds[here].info); err != nil {
		return err
	}
	common, err := r.common(builds)
	if err != nil {
		return err
	}
	for _, p := range r.Platforms {
		if err := r.platform(p, builds[p], common); err != nil {
			return err
		}
	}
	if err := r.recipes(); err != nil {
		return err
	}
	return r.sums()
}

// versionOf is the version that Go took from the tag, or made of the commit.
func versionOf(info *buildinfo.BuildInfo) (string, error) {
	if version := info.Main.Version; strings.HasPrefix(version, "v") {
		return version, nil
	}
	return "", fmt.Errorf("go build found no version, but %q: build in a clone (a worktree is none)", info.Main.Version)
}

// platform writes the files of one platform.
func (r *Release) platform(p Platform, b *build, common []file) error {
	base := fmt.Sprintf("%s_%s_%s", r.name(), p.OS, p.Arch)
	files := append([]file{{name: p.program(), data: b.program, runs: true}}, common...)
	pack, suffix := tarball, ".tar.gz"
	if p.OS == "windows" {
		pack, suffix = zipped, ".zip"
	}
	archive, err := pack(base, files, r.time)
	if err != nil {
		return err
	}
	bill, err := r.bill(p, b)
	if err != nil {
		return err
	}
	if err := errors.Join(r.write(base+suffix, archive), r.write(base+".cdx.json", bill)); err != nil {
		return err
	}
	if p.OS == "linux" {
		return r.packages(p, files)
	}
	return nil
}

// common are the files that the archives of all platforms have beside the program: licences, manual, completions.
func (r *Release) common(builds map[Platform]*build) ([]file, error) {
	licences, err := r.licences(builds)
	if err != nil {
		return nil, err
	}
	files := []file{{name: "THIRD-PARTY-LICENSES.txt", data: licences}}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(filepath.Join(r.Source, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, data: data})
	}
	here := builds[Platform{runtime.GOOS, runtime.GOARCH}]
	for shell, name := range map[string]string{"bash": "gosper.bash", "zsh": "_gosper", "fish": "gosper.fish"} {
		script, err := output(exec.Command(here.path, "completion", shell))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: "completions/" + name, data: script})
	}
	manual := filepath.Join(r.work, "man")
	if _, err := output(exec.Command(here.path, "man", "--out", manual)); err != nil {
		return nil, err
	}
	pages, err := os.ReadDir(manual)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		data, err := os.ReadFile(filepath.Join(manual, page.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: "man/" + page.Name(), data: data})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files, nil
}

// sums writes SHA256SUMS, which "sha256sum --check" reads.
func (r *Release) sums() error {
	const name = "SHA256SUMS"
	entries, err := os.ReadDir(r.Out)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, e := range entries {
		if e.Name() == name || !e.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(r.Out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return r.write(name, b.Bytes())
}

// write makes a file of the release, whole or not at all.
func (r *Release) write(name string, data []byte) error {
	path := filepath.Join(r.Out, name)
	if err := os.WriteFile(path+".part", data, 0o666); err != nil {
		return err
	}
	fmt.Println("wrote", path)
	return os.Rename(path+".part", path)
}

// git runs a command of git in the source and returns its output.
func (r *Release) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Source
	out, err := output(cmd)
	return strings.TrimSpace(string(out)), err
}

// output runs a command. Its error has what the command said.
func output(cmd *exec.Cmd) ([]byte, error) {
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, said.Bytes())
	}
	return out, nil
}
