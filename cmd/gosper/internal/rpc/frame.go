package rpc

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// A frame is a message on the wire:
//
//	bytes 0 … 3   length of the rest, little-endian
//	bytes 4 …     one JSON object in UTF-8

// maxFrame limits the length of a message. Messages are short, because cells go through files.
const maxFrame = 16 << 20

// readFrame reads one message. At the end of the stream, between two messages, the error is io.EOF.
func readFrame(r io.Reader, message any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > maxFrame {
		return fmt.Errorf("a message of %d bytes: at most %d are allowed", n, maxFrame)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return fmt.Errorf("a message is incomplete: %w", io.ErrUnexpectedEOF)
	}
	if err := json.Unmarshal(body, message); err != nil {
		return fmt.Errorf("a message does not follow the protocol: %w", err)
	}
	return nil
}

// frames writes messages. Its methods may be called from several goroutines.
type frames struct {
	mu sync.Mutex
	to io.Writer
}

// write sends a message as one write, under a lock, because notices of progress come from another
// goroutine than answers. Before the text there is its length, a little-endian number of four bytes.
func (f *frames) write(message any) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err = f.to.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(body))), body...))
	return err
}
