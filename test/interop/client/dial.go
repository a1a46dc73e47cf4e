package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openziti/sdk-golang/ziti"
	"github.com/openziti/sdk-golang/ziti/edge"
)

// An exchange is what is said and heard on a connection; it answers what is told of it.
type exchange func(conn edge.Conn, pour outpour, session *dialogue) (facts, error)

// Each is the other half of what a host serves by the same name. To hold is to talk with an echo until that is cut off.
var exchanges = map[string]exchange{
	"echo":   exchangeEcho,
	"greet":  exchangeGreeting,
	"hold":   exchangeHold,
	"sink":   exchangeSink,
	"source": exchangeSource,
}

// dialing says how often a service is dialled, and how.
type dialing struct {
	service     string
	times       int
	connections int
	isSticky    bool
	options     ziti.DialOptions
	pour        outpour
	run         exchange
}

// dial reaches a service, over several connections at a time and several times after another, and tells each exchange.
func dial(args []string, session *dialogue) error {
	flags := flag.NewFlagSet("dial", flag.ExitOnError)
	who := callerFlags(flags)
	how := dialing{}
	flags.StringVar(&how.service, "service", "", "`name` of the service")
	what := flags.String("exchange", "echo", "what to say and hear: "+strings.Join(exchangeNames(), ", "))
	flags.IntVar(&how.times, "times", 1, "how many times, one after another")
	flags.IntVar(&how.connections, "connections", 1, "how many connections at the same time")
	flags.BoolVar(&how.isSticky, "sticky", false, "present what the dial before was given, to reach the same host")
	flags.StringVar(&how.options.Identity, "instance", "", "instance `id` of the host")
	flags.Int64Var(&how.pour.bytes, "bytes", 0, "how much to say on each connection")
	flags.Int64Var(&how.pour.rate, "rate", 0, "bytes in a second on each connection")
	appData := flags.String("app-data", "", "what the host is told with the dial")
	pause := flags.Bool("pause", false, "before each dial but the first, wait for an answer")
	refresh := flags.Bool("refresh", false, "before each dial but the first, renew the API session")
	flowControl := flags.Bool("flow-control", false, "let the SDK control the flow, not the router")
	if err := flags.Parse(args); err != nil {
		return err
	}
	run, ok := exchanges[*what]
	if !ok {
		return fmt.Errorf("there is no exchange called %q", *what)
	}
	how.run = run
	how.options.AppData = []byte(*appData)
	how.options.SdkFlowControl = flowControl
	how.options.ConnectTimeout = 20 * time.Second
	context, err := who.context(session)
	if err != nil {
		return err
	}
	defer context.Close()
	if err := tellLogin(context, session); err != nil {
		return err
	}
	for time := range how.times {
		if *pause && time > 0 {
			if _, err := session.ask("paused", nil); err != nil {
				return err
			}
		}
		if *refresh && time > 0 {
			if err := tellRefresh(context, session); err != nil {
				return err
			}
		}
		if err := how.all(context, session); err != nil {
			return err
		}
	}
	return nil
}

// all opens the connections of one time, and is over when each of them is.
func (how *dialing) all(context *ziti.ContextImpl, session *dialogue) error {
	failures := make([]error, how.connections)
	tokens := make([][]byte, how.connections)
	var halfway sync.Once
	pour := how.pour
	pour.halfway = func() { halfway.Do(func() { session.tell("halfway", nil) }) }
	var group sync.WaitGroup
	for at := range how.connections {
		group.Go(func() { tokens[at], failures[at] = how.one(context, pour, session) })
	}
	group.Wait()
	if how.isSticky {
		how.options.StickinessToken = tokens[0]
	}
	return errors.Join(failures...)
}

func (how *dialing) one(context *ziti.ContextImpl, pour outpour, session *dialogue) ([]byte, error) {
	conn, err := how.connect(context)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	session.tell("connected", facts{"circuitId": conn.GetCircuitId(), "isSticky": len(conn.GetStickinessToken()) > 0})
	told, err := how.run(conn, pour, session)
	if err != nil {
		return nil, fmt.Errorf("on circuit %s: %w", conn.GetCircuitId(), err)
	}
	told["circuitId"] = conn.GetCircuitId()
	session.tell("exchanged", told)
	return conn.GetStickinessToken(), nil
}

// connect dials; again, for a while, when the router does not know the device yet: the SDK tells it beside the first dial.
func (how *dialing) connect(context *ziti.ContextImpl) (edge.Conn, error) {
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		conn, err := context.DialWithOptions(how.service, &how.options)
		isUnknown := err != nil && strings.Contains(err.Error(), "no posture data has been sent")
		if !isUnknown || time.Now().After(deadline) {
			return conn, err
		}
	}
}

// exchangeEcho speaks and listens at the same time, and ends its side before it has heard everything.
func exchangeEcho(conn edge.Conn, pour outpour, _ *dialogue) (facts, error) {
	type hearing struct {
		heard *digest
		err   error
	}
	hears := make(chan hearing, 1)
	go func() {
		heard, err := readAll(conn)
		hears <- hearing{heard, err}
	}()
	said, err := pour.pour(conn)
	if err == nil {
		err = conn.CloseWrite()
	}
	if err != nil {
		return nil, err
	}
	end := <-hears
	return facts{"said": said.facts(), "heard": end.heard.facts()}, end.err
}

// exchangeGreeting hears the host out before it ends its own side.
func exchangeGreeting(conn edge.Conn, _ outpour, _ *dialogue) (facts, error) {
	text, err := io.ReadAll(io.LimitReader(conn, partSize))
	return facts{"text": string(text)}, err
}

// exchangeHold tells when it holds the connection, and how that ended; that it ends is no failure.
func exchangeHold(conn edge.Conn, _ outpour, session *dialogue) (facts, error) {
	echoed := make([]byte, 1)
	for isFirst := true; ; isFirst = false {
		if _, err := conn.Write([]byte{'.'}); err != nil {
			return facts{"end": err.Error()}, nil
		}
		if _, err := io.ReadFull(conn, echoed); err != nil {
			return facts{"end": err.Error()}, nil
		}
		if isFirst {
			session.tell("holding", nil)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// exchangeSink says everything, ends its side, and hears then what has arrived.
func exchangeSink(conn edge.Conn, pour outpour, _ *dialogue) (facts, error) {
	said, err := pour.pour(conn)
	if err != nil {
		return nil, err
	}
	if err := conn.CloseWrite(); err != nil {
		return nil, err
	}
	heard := facts{}
	if err := json.NewDecoder(conn).Decode(&heard); err != nil {
		return nil, err
	}
	return facts{"said": said.facts(), "heard": heard}, nil
}

// exchangeSource hears everything out, and then says something that the host must still hear.
func exchangeSource(conn edge.Conn, pour outpour, _ *dialogue) (facts, error) {
	heard, err := readAll(conn)
	if err != nil {
		return nil, err
	}
	said, err := pour.pour(conn)
	if err != nil {
		return nil, err
	}
	return facts{"said": said.facts(), "heard": heard.facts()}, conn.CloseWrite()
}

func exchangeNames() []string { return slices.Sorted(maps.Keys(exchanges)) }
