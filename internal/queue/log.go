package queue

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A log is a sequence of entries. Each entry is
//
//	a header, JSON in one line
//	if it is a result: as many bytes as the header says, and a line feed
//
// Only one process writes a log. If it dies, only the last entry may be incomplete. Readers skip a damaged
// entry and continue with the next line that looks like a header.
const (
	logSuffix   = ".log"
	headerBegin = `{"job":"`
	noteBegin   = `{"note":`
	mostHeader  = 1 << 20 // bytes
)

// header is the first line of an entry, which is a result or a note.
type header struct {
	Key    string          `json:"job,omitempty"`
	Worker string          `json:"worker,omitempty"`
	Bytes  int64           `json:"bytes,omitempty"` // of the result
	Note   json.RawMessage `json:"note,omitempty"`
	// of key, worker and result with zero bytes between them, or of the note in the same way; lower-case hex
	Hash string `json:"sha256"`
}

func hashOf(key, worker string, data []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00", key, worker)
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// entry is one entry of a log.
type entry struct {
	header
	at, offset int64 // position of the entry, and of its result
	damaged    bool
}

// readLog calls tell for all entries of a log. It leaves out an incomplete entry at the end, whose process died
// or is still writing.
func readLog(path string, tell func(entry) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	l := logReader{in: bufio.NewReaderSize(f, 1<<16), file: f, size: info.Size()}
	for l.at < l.size {
		e, whole, err := l.next()
		if err == nil && !whole {
			var more bool
			if more, err = l.seekHeader(e.at + 1); more {
				e.damaged = true // and not only incomplete
			}
		}
		if err == nil && (whole || e.damaged) {
			err = tell(e)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// logReader reads a log.
type logReader struct {
	in       *bufio.Reader
	file     *os.File
	at, size int64
}

// next reads the entry at the current position. An entry that is not whole is damaged, or incomplete if it
// reaches beyond the end.
func (l *logReader) next() (e entry, whole bool, err error) {
	e.at = l.at
	line, err := l.line()
	if err != nil {
		return e, false, err
	}
	if line == nil { // no line feed
		return e, false, nil
	}
	l.at += int64(len(line))
	e.offset = l.at
	var h header
	if json.Unmarshal(line, &h) != nil || h.Bytes < 0 || (h.Key == "") == (h.Note == nil) {
		e.damaged = true
		return e, false, nil
	}
	if h.Note != nil {
		e.header = h
		e.damaged = hashOf("", "", h.Note) != h.Hash
		return e, !e.damaged, nil
	}
	e.header = h
	// A line feed follows the result, so the rest of the file must be longer than the result.
	if h.Bytes >= l.size-l.at { // incomplete, or a damaged number
		return e, false, nil
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\x00%s\x00", h.Key, h.Worker)
	if _, err := io.CopyN(hash, l.in, h.Bytes); err != nil {
		return e, false, err
	}
	end, err := l.in.ReadByte()
	if err != nil {
		return e, false, err
	}
	l.at += h.Bytes + 1
	e.damaged = hex.EncodeToString(hash.Sum(nil)) != h.Hash || end != '\n'
	return e, !e.damaged, nil
}

// line reads to the next line feed. It returns nil if no line feed could end a header.
func (l *logReader) line() ([]byte, error) {
	var line []byte
	for len(line) < mostHeader {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case errors.Is(err, io.EOF):
			return nil, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
	return nil, nil
}

// seekHeader moves to the next line that begins like a header, or to the end. It reports whether it found one.
func (l *logReader) seekHeader(from int64) (bool, error) {
	if err := l.seek(from); err != nil {
		return false, err
	}
	for {
		part, err := l.in.ReadSlice('\n')
		l.at += int64(len(part))
		switch {
		case errors.Is(err, io.EOF):
			l.at = l.size
			return false, nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return false, err
		}
		for _, begin := range []string{headerBegin, noteBegin} {
			if next, err := l.in.Peek(len(begin)); err == nil && bytes.Equal(next, []byte(begin)) {
				return true, nil
			}
		}
	}
}

func (l *logReader) seek(to int64) error {
	if _, err := l.file.Seek(to, io.SeekStart); err != nil {
		return err
	}
	l.in.Reset(l.file)
	l.at = to
	return nil
}

// logWriter appends to a log of this process.
type logWriter struct {
	file   *os.File
	size   int64
	synced time.Time
}

// syncEvery is the amount of work that may be lost when a machine loses power.
const syncEvery = time.Second

// newLog makes a log that no other process uses.
func newLog(dir string) (*logWriter, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	for n := time.Now().UnixMilli(); ; n++ {
		f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%s-%d%s", Name(), n, logSuffix)),
			os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return &logWriter{file: f, synced: time.Now()}, err
		}
	}
}

// append writes an entry and returns the position of its result. An entry that cannot be written completely is removed.
func (l *logWriter) append(h header, result []byte) (at int64, err error) {
	line, err := json.Marshal(h)
	if err != nil {
		return 0, err
	}
	text := append(line, '\n')
	at = l.size + int64(len(text))
	if h.Note == nil {
		text = append(append(text, result...), '\n')
	}
	if _, err := l.file.WriteAt(text, l.size); err != nil {
		return 0, errors.Join(err, l.file.Truncate(l.size))
	}
	l.size += int64(len(text))
	if time.Since(l.synced) > syncEvery {
		if err := l.file.Sync(); err != nil {
			return 0, err
		}
		l.synced = time.Now()
	}
	return at, nil
}

func (l *logWriter) close() error {
	return errors.Join(l.file.Sync(), l.file.Close())
}
