package cli

import (
	"context"
	"reflect"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// briefly parses a command line with a parser that knows no more flags than the line may use. Most lines use a few of
// fifty, and to learn fifty flags takes a tenth of a short run. It returns a pointer to the command with its flags
// set, and the folders of rule files. It reports false if the line needs the whole grammar: for help, for
// subcommands, and for error messages.
func briefly(args []string) (command any, ruleFolders []string, ok bool) {
	field, ok := commandField(args[0])
	if !ok {
		return nil, nil, false
	}
	to := reflect.New(field.Type)
	used := mentioned(args[1:])
	if runOf(to.Interface()) == nil || used.help() {
		return nil, nil, false
	}
	fields, paths, ok := used.fields(nil, nil, field.Type, nil)
	if !ok {
		return nil, nil, false
	}
	if len(args) == 1 && len(fields) == 0 { // nothing to parse
		return to.Interface(), nil, true
	}
	grammar := reflect.New(reflect.StructOf(append(fields, foldersField())))
	parser, err := newParser(grammar.Interface())
	if err != nil {
		return nil, nil, false
	}
	if _, err := parse(parser, args[1:]); err != nil {
		return nil, nil, false
	}
	for i, path := range paths {
		to.Elem().FieldByIndex(path).Set(grammar.Elem().Field(i))
	}
	return to.Interface(), grammar.Elem().Field(len(paths)).Interface().([]string), true
}

// runOf returns the method Run of a command that has no subcommands and needs no parser; else nil.
func runOf(command any) func(context.Context, *console.Console) error {
	switch command := command.(type) {
	case interface {
		Run(context.Context, *console.Console) error
	}:
		return command.Run
	case interface{ Run(*console.Console) error }:
		return func(_ context.Context, c *console.Console) error { return command.Run(c) }
	}
	return nil
}

// mention holds the words of a command line that may be flags. Some of them may be values that look like flags.
type mention struct {
	names   map[string]bool // as folded by fold
	letters string
}

// mentioned collects the names of flags in the arguments, without reading their values. Short flags
// may be joined, so only their letters are collected.
func mentioned(args []string) mention {
	m := mention{names: map[string]bool{}}
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		if long, is := strings.CutPrefix(name, "--"); is {
			m.names[fold(long)] = true
		} else if letters, is := strings.CutPrefix(name, "-"); is {
			m.letters += letters
		}
	}
	return m
}

// fold writes the name of a flag and that of its field in the same way.
func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "-", "")) }

// help reports whether the line may ask for help.
func (m mention) help() bool { return m.names["help"] || strings.Contains(m.letters, "h") }

// of reports whether a parser needs to know a field: an argument, a flag that the line mentions, or one that
// gets a value without that.
func (m mention) of(field reflect.StructField) bool {
	for _, always := range [...]string{"arg", "default", "env", "required"} {
		if _, is := field.Tag.Lookup(always); is {
			return true
		}
	}
	short := field.Tag.Get("short")
	return m.names[fold(field.Name)] || m.names[fold(field.Tag.Get("name"))] ||
		short != "" && strings.Contains(m.letters, short)
}

// fields appends the fields of a struct that a parser needs to know, those of embedded structs among them, and
// where they are in the struct at the top. It reports false if their tags have a meaning that is not handled
// here.
func (m mention) fields(fields []reflect.StructField, paths [][]int, in reflect.Type, at []int) ([]reflect.StructField,
	[][]int, bool,
) {
	for i := range in.NumField() {
		field := in.Field(i)
		path := append(at[:len(at):len(at)], i)
		if field.Tag.Get("kong") == "-" { // not a flag
			continue
		}
		for _, other := range [...]string{
			"cmd", "prefix", "envprefix", "xorprefix", "aliases", "negatable", "passthrough",
			"kong",
		} {
			if _, is := field.Tag.Lookup(other); is {
				return nil, nil, false
			}
		}
		_, embedded := field.Tag.Lookup("embed")
		switch {
		case field.Anonymous || embedded:
			var ok bool
			if fields, paths, ok = m.fields(fields, paths, field.Type, path); !ok {
				return nil, nil, false
			}
		case field.IsExported() && m.of(field):
			fields, paths = append(fields, reflect.StructField{Name: field.Name, Type: field.Type, Tag: field.Tag}),
				append(paths, path)
		}
	}
	return fields, paths, true
}
