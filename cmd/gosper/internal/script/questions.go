package script

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// questions have the answers of the command line for a script that asks for texts, or for events of a keyboard and a
// mouse. A person at a terminal may also answer for texts.
type questions struct {
	ctx     context.Context
	answers []string
	events  []string
	given   bool          // there have been events
	input   *bufio.Reader // of the terminal; nil without one
	prompts io.Writer
	at      string // the cell of the last click
}

// ask returns the next answer.
func (q *questions) ask(prompt, initial string) (string, error) {
	prompt = strings.TrimSpace(prompt)
	if len(q.answers) > 0 {
		answer := q.answers[0]
		q.answers = q.answers[1:]
		return answer, nil
	}
	unanswered := console.Badf("the script asks %q: give the answer with --answer", prompt)
	if q.input == nil {
		return "", unanswered
	}
	if initial != "" {
		prompt += " [" + initial + "]"
	}
	fmt.Fprint(q.prompts, console.Plain(prompt)+" ")
	line, err := console.Await(q.ctx, func() (string, error) { return q.input.ReadString('\n') })
	switch {
	case errors.Is(err, io.EOF) && line == "":
		return "", unanswered
	case err != nil && !errors.Is(err, io.EOF):
		return "", err
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return initial, nil
	}
	return line, nil
}

// event returns the next event, or false after the last one.
func (q *questions) event() (event string, more bool, err error) {
	if len(q.events) == 0 {
		if !q.given {
			return "", false, console.Badf("the script waits for a key or a click: give what comes with --event")
		}
		return "", false, nil
	}
	event = q.events[0]
	q.events, q.given = q.events[1:], true
	if words := strings.Fields(event); len(words) > 2 && words[0] == "click" {
		q.at = words[1] + " " + words[2]
	}
	return event, true, nil
}

// mouse returns the cell of the last click.
func (q *questions) mouse() string { return q.at }
