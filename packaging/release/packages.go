package main

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers the format
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers the format
)

const about = `cellular automata at full speed
 Gosper compiles the rule of a cellular automaton into machine code for the
 processor or an NVIDIA GPU. It runs Life and its relatives, Generations,
 Larger than Life and rule files, on tori of any size and the unbounded plane,
 takes censuses of random soups and measures ensembles with error bars.`

// packages writes the .deb and the .rpm of a platform.
func (r *Release) packages(p Platform, contents []file) error {
	stage, err := os.MkdirTemp(r.work, "stage-")
	if err != nil {
		return err
	}
	for _, format := range []string{"deb", "rpm"} {
		info := &nfpm.Info{
			Name:        "gosper",
			Arch:        p.Arch,
			Platform:    p.OS,
			Version:     r.number(),
			Section:     "science",
			Priority:    "optional",
			Maintainer:  "The Gosper authors <gosper-life@users.noreply.github.com>",
			Description: about,
			Homepage:    "https://github.com/gosper-life/gosper",
			License:     "Apache-2.0",
			MTime:       r.time,
		}
		info.RPM.BuildHost = "localhost"
		// NVIDIA's driver is loaded where it is, through the C library's loader.
		info.Depends = map[string][]string{"deb": {"libc6"}, "rpm": {"glibc"}}[format]
		info.RPM.Summary, _, _ = strings.Cut(about, "\n")
		for _, f := range contents {
			content, err := r.packaged(stage, format, f)
			if err != nil {
				return err
			}
			if content != nil {
				info.Contents = append(info.Contents, content)
			}
		}
		packager, err := nfpm.Get(format)
		if err != nil {
			return err
		}
		info = nfpm.WithDefaults(info)
		var b bytes.Buffer
		if err := packager.Package(info, &b); err != nil {
			return err
		}
		if err := r.write(packager.ConventionalFileName(info), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// packaged is a file where distributions want it; nil if they have no place for it. nfpm reads it from the
// folder stage.
func (r *Release) packaged(stage, format string, f file) (*files.Content, error) {
	const doc = "/usr/share/doc/gosper/"
	compressed := false
	to := ""
	switch dir, name := path.Split(f.name); {
	case f.runs:
		to = "/usr/bin/" + name
	case dir == "man/":
		to, compressed = "/usr/share/man/man1/"+name+".gz", true
	case name == "gosper.bash":
		to = "/usr/share/bash-completion/completions/gosper"
	case name == "gosper.fish":
		to = "/usr/share/fish/vendor_completions.d/gosper.fish"
	case name == "_gosper" && format == "deb":
		to = "/usr/share/zsh/vendor-completions/_gosper"
	case name == "_gosper":
		to = "/usr/share/zsh/site-functions/_gosper"
	case name == "LICENSE" && format == "deb":
		to = doc + "copyright"
	case name == "LICENSE":
		to = "/usr/share/licenses/gosper/LICENSE"
	case name == "THIRD-PARTY-LICENSES.txt" && format == "rpm":
		to = "/usr/share/licenses/gosper/" + name
	case name == "CHANGELOG.md":
		to, compressed = doc+"changelog.gz", true
	case name == "README.md":
		return nil, nil // its pictures and links are not there
	default:
		to = doc + name
	}
	data := f.data
	if compressed {
		var err error
		if data, err = gzipped(data); err != nil {
			return nil, err
		}
	}
	from := filepath.Join(stage, format, filepath.FromSlash(to))
	if err := os.MkdirAll(filepath.Dir(from), 0o777); err != nil {
		return nil, err
	}
	if err := os.WriteFile(from, data, 0o666); err != nil {
		return nil, err
	}
	mode := os.FileMode(f.mode())
	return &files.Content{
		Source: from, Destination: to,
		FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.time},
	}, nil
}
