package experiment

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is one of a paper's tables, with the printed and the measured values.
type Table struct {
	Title  string
	Header []string
	Rows   [][]string
	Note   string // below the table; may be empty
}

// Markdown writes the table. Its source is as readable as the rendered page.
func (t Table) Markdown(w io.Writer) error {
	widths := make([]int, len(t.Header))
	for _, row := range append([][]string{t.Header}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	line := func(cells []string) string {
		var b strings.Builder
		for i, cell := range cells {
			fmt.Fprintf(&b, "| %s%s ", cell, strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
		}
		return b.String() + "|\n"
	}
	rule := make([]string, len(widths))
	for i, n := range widths {
		rule[i] = strings.Repeat("-", n)
	}
	text := "**" + t.Title + "**\n\n" + line(t.Header) + line(rule)
	for _, row := range t.Rows {
		text += line(row)
	}
	if t.Note != "" {
		text += "\n" + t.Note + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// WriteTables writes tables one below the other.
func WriteTables(w io.Writer, tables []Table) error {
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := t.Markdown(w); err != nil {
			return err
		}
	}
	return nil
}

// Drawing is a figure with the name of its files.
type Drawing struct {
	Name   string // without extension
	Figure interface {
		// Save draws the figure in the format of the path's extension, .png, .svg or .pdf.
		Save(path string) error
	}
}
