package main

import (
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/openziti/edge-api/rest_model"
	apis "github.com/openziti/sdk-golang/edge-apis"
	"github.com/openziti/sdk-golang/ziti"
)

// caller says who calls, by which credential, and which kind of session is wanted.
type caller struct {
	identityFile string
	apiUrl       string
	caFile       string
	username     string
	password     string
	tokenFile    string
	sessionKind  string
	configTypes  string
}

func callerFlags(flags *flag.FlagSet) *caller {
	who := &caller{}
	flags.StringVar(&who.identityFile, "identity", "", "identity `file`: its certificate is the credential")
	flags.StringVar(&who.apiUrl, "api", "", "`URL` of the client API, where there is no identity file")
	flags.StringVar(&who.caFile, "ca", "", "`file` of trusted certificates, where there is no identity file")
	flags.StringVar(&who.username, "username", "", "log in with this name and a password")
	flags.StringVar(&who.password, "password", "", "the password")
	flags.StringVar(&who.tokenFile, "token", "", "`file` with a token of an external provider: log in by it, or by it as well")
	flags.StringVar(&who.sessionKind, "session", "offered", "legacy, oidc, or what the controller offers")
	flags.StringVar(&who.configTypes, "config-types", "", "config types to ask for, parted by commas")
	return who
}

// context builds the SDK's context, which nothing has been sent from yet. One-time codes are asked for in the dialogue.
func (who *caller) context(session *dialogue) (*ziti.ContextImpl, error) {
	config, err := who.config()
	if err != nil {
		return nil, err
	}
	if who.configTypes != "" {
		config.ConfigTypes = strings.Split(who.configTypes, ",")
	}
	made, err := ziti.NewContext(config)
	if err != nil {
		return nil, err
	}
	context, ok := made.(*ziti.ContextImpl)
	if !ok {
		return nil, fmt.Errorf("the SDK made a context of another kind: %T", made)
	}
	switch who.sessionKind {
	case "legacy":
		context.CtrlClt.SetUseOidc(false)
	case "oidc":
		context.CtrlClt.SetUseOidc(true)
	case "offered":
	default:
		return nil, fmt.Errorf("there is no session of kind %q", who.sessionKind)
	}
	answerCodes(context, session)
	return context, nil
}

func (who *caller) config() (*ziti.Config, error) {
	token, err := who.token()
	if err != nil {
		return nil, err
	}
	if who.identityFile != "" {
		config, err := ziti.NewConfigFromFile(who.identityFile)
		if err == nil && token != "" {
			credentials := apis.NewIdentityCredentialsFromConfig(config.ID)
			presentAsWell(&credentials.BaseCredentials, token)
			config.Credentials = credentials
		}
		return config, err
	}
	pool, err := readPool(who.caFile)
	if err != nil {
		return nil, err
	}
	config := &ziti.Config{ZtAPI: who.apiUrl}
	switch {
	case who.username != "":
		credentials := apis.NewUpdbCredentials(who.username, who.password)
		credentials.CaPool = pool
		if token != "" {
			presentAsWell(&credentials.BaseCredentials, token)
		}
		config.Credentials = credentials
	case token != "":
		credentials := apis.NewJwtCredentials(token)
		credentials.CaPool = pool
		config.Credentials = credentials
	default:
		return nil, errors.New("no credential: name an identity file, a user or a token")
	}
	return config, nil
}

// token is the external token, empty where there is none.
func (who *caller) token() (string, error) {
	if who.tokenFile == "" {
		return "", nil
	}
	text, err := os.ReadFile(who.tokenFile)
	return strings.TrimSpace(string(text)), err
}

// presentAsWell adds a token as a second factor, at login and with every request after it.
func presentAsWell(credentials *apis.BaseCredentials, token string) {
	credentials.AddJWT(token)
	credentials.AddRequestHeader("Authorization", "Bearer "+token)
}

func readPool(file string) (*x509.CertPool, error) {
	certificates, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(certificates) {
		return nil, fmt.Errorf("%s holds no certificate", file)
	}
	return pool, nil
}

// answerCodes lets the test play the person with the authenticator app. A code that does not come leaves the login as it
// is, which the next step notices.
func answerCodes(context *ziti.ContextImpl, session *dialogue) {
	context.Events().AddMfaTotpCodeListener(func(_ ziti.Context, query *rest_model.AuthQueryDetail, respond ziti.MfaCodeResponse) {
		code, err := session.ask("code-wanted", facts{"type": query.TypeID})
		if err == nil {
			err = respond(code)
		}
		if err != nil {
			session.tell("code-refused", failureOf(err))
		}
	})
	context.Events().AddMfaTotpEnrollmentListener(func(_ ziti.Context, url string, respond ziti.MfaTotpEnrollmentResponse) {
		respond(session.ask("enrollment-code-wanted", facts{"provisioningUrl": url}))
	})
}
