package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/openziti/edge-api/rest_model"
	apis "github.com/openziti/sdk-golang/edge-apis"
	"github.com/openziti/sdk-golang/ziti"
)

// names is a flag that may be given several times.
type names []string

func (n *names) String() string { return strings.Join(*n, ",") }

func (n *names) Set(value string) error {
	*n = append(*n, value)
	return nil
}

// visit does what a program does before it carries any traffic: logs in, keeps its session, finds its services and routers,
// and opens sessions.
func visit(args []string, session *dialogue) error {
	flags := flag.NewFlagSet("visit", flag.ExitOnError)
	who := callerFlags(flags)
	pause := flags.Bool("pause", false, "after the login, wait for an answer before going on")
	var dial, bind names
	flags.Var(&dial, "dial", "open a session to reach this `service`; several times for several")
	flags.Var(&bind, "bind", "open a session to host this `service`; several times for several")
	if err := flags.Parse(args); err != nil {
		return err
	}
	context, err := who.context(session)
	if err != nil {
		return err
	}
	defer context.Close()

	steps := []func() error{
		func() error { return tellLogin(context, session) },
		func() error { return waitIf(*pause, session) },
		func() error { return tellIdentity(context, session) },
		func() error { return tellRefresh(context, session) },
		func() error { return tellServices(context, session) },
		func() error { return tellEdgeRouters(context, session) },
		func() error { return tellSessions(context, session, ziti.SessionDial, dial) },
		func() error { return tellSessions(context, session, ziti.SessionBind, bind) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func tellLogin(context *ziti.ContextImpl, session *dialogue) error {
	if err := context.Authenticate(); err != nil {
		return err
	}
	current := context.CtrlClt.GetCurrentApiSession()
	session.tell("authenticated", facts{
		"kind":                  current.GetType(),
		"id":                    current.GetId(),
		"identityId":            current.GetIdentityId(),
		"openQueries":           len(current.GetAuthQueries()),
		"hasSessionCertificate": context.CtrlClt.ApiSessionCertificate != nil,
		"tokenId":               tokenId(current.GetToken()),
	})
	return nil
}

// tokenId is the id in a signed token; one that is not signed has none.
func tokenId(token []byte) string {
	parts := strings.Split(string(token), ".")
	if len(parts) != 3 {
		return ""
	}
	var claims struct {
		Id string `json:"jti"`
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(text, &claims) != nil {
		return ""
	}
	return claims.Id
}

// waitIf lets the test change something that the rest of the visit is to notice.
func waitIf(isWanted bool, session *dialogue) error {
	if !isWanted {
		return nil
	}
	_, err := session.ask("paused", nil)
	return err
}

func tellIdentity(context *ziti.ContextImpl, session *dialogue) error {
	identity, err := context.GetCurrentIdentity()
	if err != nil {
		return err
	}
	session.tell("identity", facts{"id": identity.ID, "name": identity.Name, "isMfaEnabled": identity.IsMfaEnabled})
	return nil
}

func tellRefresh(context *ziti.ContextImpl, session *dialogue) error {
	before := bytes.Clone(context.CtrlClt.GetCurrentApiSession().GetToken())
	err, ofRouters := context.RefreshApiSession()
	if err = errors.Join(err, ofRouters); err != nil {
		return err
	}
	current := context.CtrlClt.GetCurrentApiSession()
	session.tell("refreshed", facts{
		"kind":       current.GetType(),
		"id":         current.GetId(),
		"isNewToken": !bytes.Equal(before, current.GetToken()),
		"expiresAt":  current.GetExpiresAt(),
	})
	return nil
}

func tellServices(context *ziti.ContextImpl, session *dialogue) error {
	if err := context.RefreshServices(); err != nil {
		return err
	}
	services, err := context.GetServices()
	if err != nil {
		return err
	}
	told := make([]facts, 0, len(services))
	for _, service := range services {
		told = append(told, facts{
			"id":                 service.ID,
			"name":               service.Name,
			"permissions":        service.Permissions,
			"configs":            service.Config,
			"encryptionRequired": service.EncryptionRequired,
			"postureQueries":     countQueries(service.PostureQueries),
		})
	}
	session.tell("services", facts{"services": told})
	return nil
}

// countQueries counts what is asked about the device; a policy that asks for nothing has an empty set.
func countQueries(sets []*rest_model.PostureQueries) int {
	count := 0
	for _, set := range sets {
		count += len(set.PostureQueries)
	}
	return count
}

func tellEdgeRouters(context *ziti.ContextImpl, session *dialogue) error {
	routers, err := context.CtrlClt.GetAvailableERs()
	if err != nil {
		return err
	}
	told := make([]facts, 0, len(routers))
	for _, router := range routers {
		told = append(told, facts{"name": router.Name, "isOnline": router.IsOnline})
	}
	session.tell("edge-routers", facts{"routers": told})
	return nil
}

func tellSessions(context *ziti.ContextImpl, session *dialogue, kind rest_model.DialBind, services names) error {
	for _, name := range services {
		service, ok := context.GetService(name)
		if !ok {
			return fmt.Errorf("there is no service called %s", name)
		}
		created, err := context.CtrlClt.CreateSession(*service.ID, ziti.SessionType(kind))
		if err != nil {
			return err
		}
		again, err := readAgain(context, created)
		if err != nil {
			return err
		}
		_, terminators, err := context.CtrlClt.GetServiceTerminators(service, 0, 10)
		if err != nil {
			return err
		}
		session.tell("session", facts{
			"type":         created.Type,
			"service":      name,
			"routers":      routerNames(created),
			"isSameAgain":  isSame(created, again...),
			"routersAgain": routerNames(again[0]),
			"terminators":  terminators,
		})
	}
	return nil
}

// readAgain asks for a session the ways that SDKs keep one: by its token, which says everything, and by its id, where the
// controller keeps it.
func readAgain(context *ziti.ContextImpl, created *rest_model.SessionDetail) ([]*rest_model.SessionDetail, error) {
	byToken, err := context.CtrlClt.GetSessionFromJwt(*created.Token)
	if err != nil {
		return nil, err
	}
	if context.CtrlClt.GetCurrentApiSession().GetType() == apis.ApiSessionTypeOidc {
		return []*rest_model.SessionDetail{byToken}, nil
	}
	byId, err := context.CtrlClt.GetSession(*created.ID)
	if err != nil {
		return nil, err
	}
	return []*rest_model.SessionDetail{byToken, byId}, nil
}

func isSame(session *rest_model.SessionDetail, others ...*rest_model.SessionDetail) bool {
	for _, other := range others {
		if *other.ID != *session.ID || *other.ServiceID != *session.ServiceID || *other.Type != *session.Type {
			return false
		}
	}
	return true
}

func routerNames(session *rest_model.SessionDetail) []string {
	found := make([]string, 0, len(session.EdgeRouters))
	for _, router := range session.EdgeRouters {
		found = append(found, *router.Name)
	}
	return found
}
