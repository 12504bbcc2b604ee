package origin

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// readFile reads a pattern file, or one in a zip archive. Rules that come with it are known afterwards: those
// in its folder, in its archive, and after its cells.
func readFile(ctx context.Context, name string, o pattern.Options) (*pattern.Pattern, error) {
	p, err := readMember(ctx, name, o)
	if p == nil && err == nil {
		if p, err = o.ReadFile(ctx, name); err == nil && name != "-" {
			rulefile.AddFolder(filepath.Dir(name))
		}
	}
	if err != nil || p.RuleFile == nil {
		return p, err
	}
	rest := string(p.RuleFile)
	for rest != "" {
		one := rest
		if at := strings.Index(rest, "\n@RULE"); at >= 0 { // rules that take turns have several
			one, rest = rest[:at+1], rest[at+1:]
		} else {
			rest = ""
		}
		f, err := rulefile.Limits{}.Parse("@RULE", []byte(one))
		if err != nil {
			return nil, fmt.Errorf("%s: the rule after the pattern: %w", name, err)
		}
		rulefile.Add(f)
	}
	return p, nil
}

// readMember reads a pattern of a zip archive: the only one, or the one whose path follows the archive's name
// and a slash. It returns nil if the name is not that of an archive.
func readMember(ctx context.Context, name string, o pattern.Options) (*pattern.Pattern, error) {
	archive, inner := name, ""
	if at := strings.Index(strings.ToLower(name), ".zip/"); at >= 0 {
		archive, inner = name[:at+len(".zip")], name[at+len(".zip/"):]
	}
	if info, err := os.Stat(archive); !strings.EqualFold(filepath.Ext(archive), ".zip") || err != nil || info.IsDir() {
		return nil, nil
	}
	z, err := zip.OpenReader(archive)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", archive, err)
	}
	defer z.Close()
	var patterns []string
	room := rulefile.MaxBytes // of all rule files together: a few compressed bytes may stand for any number
	for _, f := range z.File {
		_, _, err := pattern.FormatOf(f.Name)
		switch {
		case strings.HasPrefix(f.Name, "__MACOSX/"): // added by the archiver of macOS
		case slices.Contains(rulefile.Suffixes, path.Ext(f.Name)):
			if err := addRule(archive, f, &room); err != nil {
				return nil, err
			}
		case err == nil:
			patterns = append(patterns, f.Name)
		}
	}
	switch {
	case inner != "":
	case len(patterns) == 0:
		return nil, fmt.Errorf("%s: the archive contains no pattern", archive)
	case len(patterns) > 1:
		return nil, fmt.Errorf("%s: the archive contains %d patterns: name one, as in %q", archive, len(patterns),
			archive+"/"+patterns[0])
	default:
		inner = patterns[0]
	}
	in, err := z.Open(inner)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", archive, err)
	}
	defer in.Close()
	p, err := o.Read(ctx, in, inner)
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", archive, inner, err)
	}
	return p, nil
}

// addRule makes a rule file of an archive known. It takes its bytes from the room that is left.
func addRule(archive string, f *zip.File, room *int) error {
	in, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, int64(*room)+1))
	if *room -= len(text); err == nil && *room < 0 {
		err = fmt.Errorf("%q: the rule files have more than %d bytes in all", f.Name, rulefile.MaxBytes)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	r, err := rulefile.Limits{}.Parse(f.Name, text)
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	rulefile.Add(r)
	return nil
}
