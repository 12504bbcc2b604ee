package rle

import "io"

// lines breaks text into lines between runs.
type lines struct {
	w    io.Writer
	line []byte // the last one, at most columns long
	err  error
}

// write adds whole runs.
func (l *lines) write(text []byte) {
	for len(l.line)+len(text) > columns {
		end := columns - len(l.line)
		for end > 0 && !endsRun(text[end-1]) {
			end--
		}
		l.line = append(l.line, text[:end]...)
		text = text[end:]
		l.endLine()
	}
	l.line = append(l.line, text...)
}

// endsRun reports whether a run may end with a character, which is neither a digit nor the first half of a symbol.
func endsRun(c byte) bool { return (c < '0' || c > '9') && (c < 'p' || c > 'y') }

func (l *lines) endLine() {
	l.line = append(l.line, '\n')
	if l.err == nil {
		_, l.err = l.w.Write(l.line)
	}
	l.line = l.line[:0]
}
