package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/openziti/edge-api/rest_util"
)

// facts are what a line tells besides its event.
type facts map[string]any

// dialogue is the conversation with the test that started the program: it is told events, and may be asked for an answer,
// as a person would be.
type dialogue struct {
	lock    sync.Mutex
	out     *json.Encoder
	answers *bufio.Reader
}

func newDialogue(in io.Reader, out io.Writer) *dialogue {
	return &dialogue{out: json.NewEncoder(out), answers: bufio.NewReader(in)}
}

// tell writes one line. The SDK calls back from goroutines of its own, so lines must not mix.
func (d *dialogue) tell(event string, what facts) {
	line := facts{"event": event}
	for key, value := range what {
		line[key] = value
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	if err := d.out.Encode(line); err != nil {
		panic(fmt.Sprintf("an event cannot be told: %v", err))
	}
}

// ask tells an event and waits for the line that answers it.
func (d *dialogue) ask(event string, what facts) (string, error) {
	d.tell(event, what)
	answer, err := d.answers.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("%s was not answered: %w", event, err)
	}
	return strings.TrimSpace(answer), nil
}

// failureOf tells an error by its text and, where the controller gave one, by its code.
func failureOf(err error) facts {
	what := facts{"message": err.Error()}
	var refused *rest_util.APIFormattedError
	if errors.As(err, &refused) && refused.APIError != nil {
		what["code"] = refused.Code
	}
	return what
}
