package main

import (
	"encoding/json"
	"flag"
	"os"

	"github.com/openziti/sdk-golang/ziti"
	"github.com/openziti/sdk-golang/ziti/enroll"
)

// enrollIdentity turns an invitation into a credential: an identity file, or a password that now counts.
func enrollIdentity(args []string, session *dialogue) error {
	flags := flag.NewFlagSet("enroll", flag.ExitOnError)
	invitation := flags.String("invitation", "", "`file` with the enrollment token")
	out := flags.String("out", "", "identity `file` to write")
	algorithm := ziti.KeyAlgVar("EC")
	flags.Var(&algorithm, "key-algorithm", "EC or RSA, for a key that is made here")
	certificate := flags.String("certificate", "", "`file` with a certificate of one's own")
	key := flags.String("key", "", "`file` with its key")
	username := flags.String("username", "", "name to log in with, where the invitation asks for a password")
	password := flags.String("password", "", "the password to set")
	if err := flags.Parse(args); err != nil {
		return err
	}

	text, err := os.ReadFile(*invitation)
	if err != nil {
		return err
	}
	claims, token, err := enroll.ParseToken(string(text))
	if err != nil {
		return err
	}
	session.tell("invited", facts{"method": claims.EnrollmentMethod, "subject": claims.Subject, "issuer": claims.Issuer})

	config, err := enroll.Enroll(enroll.EnrollmentFlags{
		Token:     claims,
		JwtToken:  token,
		JwtString: string(text),
		CertFile:  *certificate,
		KeyFile:   *key,
		KeyAlg:    algorithm,
		Username:  *username,
		Password:  *password,
	})
	if err != nil {
		return err
	}
	if *out != "" {
		if err := writeIdentity(*out, config); err != nil {
			return err
		}
	}
	session.tell("enrolled", facts{"api": config.ZtAPI, "apis": config.ZtAPIs})
	return nil
}

func writeIdentity(file string, config *ziti.Config) error {
	document, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(file, document, 0o600)
}
