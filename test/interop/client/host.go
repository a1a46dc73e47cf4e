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
	"time"

	"github.com/openziti/sdk-golang/ziti"
	"github.com/openziti/sdk-golang/ziti/edge"
)

// A service is what a host does with a connection until it has said and heard everything; it answers what it heard.
type service func(conn edge.Conn, with hosting) (*digest, error)

// Each of them ends its side of the conversation only when the other side has to go on, or the other way round: so a half
// close that is lost, or that closes both halves, is noticed.
var services = map[string]service{
	"echo":   serveEcho,
	"greet":  serveGreeting,
	"sink":   serveSink,
	"source": serveSource,
}

// hosting is what a host says of its own.
type hosting struct {
	greeting string
	pour     outpour
}

// host offers a service until it is answered or its input ends, and tells each connection.
func host(args []string, session *dialogue) error {
	flags := flag.NewFlagSet("host", flag.ExitOnError)
	who := callerFlags(flags)
	name := flags.String("service", "", "`name` of the service")
	serve := flags.String("serve", "echo", "what to do with a connection: "+strings.Join(serviceNames(), ", "))
	greeting := flags.String("greeting", "", "what greet says")
	size := flags.Int64("bytes", 0, "how much source says")
	rate := flags.Int64("rate", 0, "bytes in a second that source says")
	instance := flags.String("instance", "", "instance `id` of the terminators")
	cost := flags.Uint("cost", 0, "cost of the terminators")
	precedence := flags.String("precedence", "default", "precedence of the terminators")
	terminators := flags.Int("terminators", 1, "how many routers to host by")
	flowControl := flags.Bool("flow-control", false, "let the SDK control the flow, not the router")
	if err := flags.Parse(args); err != nil {
		return err
	}
	run, ok := services[*serve]
	if !ok {
		return fmt.Errorf("there is no service that does %q", *serve)
	}
	context, err := who.context(session)
	if err != nil {
		return err
	}
	defer context.Close()
	if err := tellLogin(context, session); err != nil {
		return err
	}
	listener, err := context.ListenWithOptions(*name, &ziti.ListenOptions{
		Cost:           uint16(*cost),
		Precedence:     ziti.GetPrecedenceForLabel(*precedence),
		ConnectTimeout: 20 * time.Second,
		MaxTerminators: *terminators,
		Identity:       *instance,
		SdkFlowControl: flowControl,
	})
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	with := hosting{greeting: *greeting, pour: outpour{bytes: *size, rate: *rate, halfway: func() {}}}
	closed := make(chan error, 1)
	go func() { closed <- acceptAll(listener, run, with, session) }()
	asked := make(chan error, 1)
	go func() {
		if err := waitFor(listener, uint(*terminators)); err != nil {
			asked <- err
		} else {
			asked <- obeyUntilEnd(listener, session)
		}
	}()
	select {
	case err = <-closed:
	case err = <-asked:
	}
	return err
}

// waitFor is over when so many terminators are established. The SDK's own way to wait does not say why there are none.
func waitFor(listener edge.Listener, terminators uint) error {
	counting, ok := listener.(interface{ GetEstablishedCount() uint })
	if !ok {
		return fmt.Errorf("the SDK made a listener of another kind: %T", listener)
	}
	for range 2_000 {
		if counting.GetEstablishedCount() >= terminators {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("%d of %d terminators are established", counting.GetEstablishedCount(), terminators)
}

// obeyUntilEnd does what the test answers: a cost or a precedence changes, anything else is the end.
func obeyUntilEnd(listener edge.Listener, session *dialogue) error {
	for {
		answer, err := session.ask("hosting", nil)
		if err != nil {
			return err
		}
		kind, value, _ := strings.Cut(answer, " ")
		switch kind {
		case "cost":
			var cost uint16
			if _, err = fmt.Sscan(value, &cost); err == nil {
				err = listener.UpdateCost(cost)
			}
		case "precedence":
			err = listener.UpdatePrecedence(edge.Precedence(ziti.GetPrecedenceForLabel(value)))
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func acceptAll(listener edge.Listener, run service, with hosting, session *dialogue) error {
	for {
		conn, err := listener.AcceptEdge()
		if err != nil {
			session.tell("listener-closed", failureOf(err))
			return err
		}
		who := facts{
			"circuitId":  conn.GetCircuitId(),
			"dialerId":   conn.GetDialerIdentityId(),
			"dialerName": conn.GetDialerIdentityName(),
			"source":     conn.SourceIdentifier(),
			"appData":    string(conn.GetAppData()),
		}
		session.tell("accepted", who)
		go func() {
			defer func() { _ = conn.Close() }()
			heard, err := run(conn, with)
			told := facts{"circuitId": conn.GetCircuitId()}
			if heard != nil {
				maps.Copy(told, heard.facts())
			}
			if err != nil {
				told["error"] = err.Error()
			}
			session.tell("served", told)
		}()
	}
}

// serveEcho says what it hears, and ends when the other side has ended.
func serveEcho(conn edge.Conn, _ hosting) (*digest, error) {
	heard := newDigest()
	_, err := io.CopyBuffer(io.MultiWriter(conn, heard), onlyReader{conn}, make([]byte, partSize))
	return heard, errors.Join(err, conn.CloseWrite())
}

// serveGreeting says one thing and hears the other side out.
func serveGreeting(conn edge.Conn, with hosting) (*digest, error) {
	if _, err := io.WriteString(conn, with.greeting); err != nil {
		return nil, err
	}
	if err := conn.CloseWrite(); err != nil {
		return nil, err
	}
	return readAll(conn)
}

// serveSink hears the other side out, and says what it heard only then.
func serveSink(conn edge.Conn, _ hosting) (*digest, error) {
	heard, err := readAll(conn)
	if err != nil {
		return heard, err
	}
	return heard, errors.Join(json.NewEncoder(conn).Encode(heard.facts()), conn.CloseWrite())
}

// serveSource says everything and ends its side; what the other side heard it is told only then.
func serveSource(conn edge.Conn, with hosting) (*digest, error) {
	if _, err := with.pour.pour(conn); err != nil {
		return nil, err
	}
	if err := conn.CloseWrite(); err != nil {
		return nil, err
	}
	return readAll(conn)
}

// onlyReader hides that a connection can copy by itself.
type onlyReader struct{ io.Reader }

func serviceNames() []string { return slices.Sorted(maps.Keys(services)) }
