// Command client is a small program on the public Go SDK. Each sub-command does what an ordinary program would do with a
// controller, and tells every step as one line of JSON on standard output, for the tests beside it to judge.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A command reads its own flags. What it returns ends the program, told as a line of its own.
type command func(args []string, session *dialogue) error

var commands = map[string]command{
	"dial":            dial,
	"enroll":          enrollIdentity,
	"enroll-by-token": enrollByToken,
	"enroll-totp":     enrollTotp,
	"extend":          extend,
	"host":            host,
	"visit":           visit,
}

func main() {
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	run, ok := commands[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "usage: client %s [FLAG …]\n", strings.Join(commandNames(), "|"))
		os.Exit(2)
	}
	session := newDialogue(os.Stdin, os.Stdout)
	if err := run(os.Args[2:], session); err != nil {
		session.tell("failed", failureOf(err))
		os.Exit(1)
	}
}

func commandNames() []string {
	names := make([]string, 0, len(commands))
	for name := range commands {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
