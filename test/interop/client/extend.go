package main

import (
	"errors"
	"flag"

	"github.com/openziti/edge-api/rest_client_api_client/current_api_session"
	"github.com/openziti/edge-api/rest_model"
	"github.com/openziti/edge-api/rest_util"
	"github.com/openziti/sdk-golang/ziti"
)

// extend gets a new certificate, for a new key, in place of the one in the identity file, and shows that it arrived.
func extend(args []string, session *dialogue) error {
	flags := flag.NewFlagSet("extend", flag.ExitOnError)
	who := callerFlags(flags)
	out := flags.String("out", "", "identity `file` to write")
	verify := flags.Bool("verify", true, "tell the controller that the certificate arrived")
	if err := flags.Parse(args); err != nil {
		return err
	}
	context, err := who.context(session)
	if err != nil {
		return err
	}
	defer context.Close()
	if err := context.Authenticate(); err != nil {
		return err
	}
	own, err := ownCertificate(context)
	if err != nil {
		return err
	}
	session.tell("found", facts{"isExtendRequested": own.IsExtendRequested, "isKeyRollRequested": own.IsKeyRollRequested})

	wanted, err := newCertificateRequest("client")
	if err != nil {
		return err
	}
	api, writer := context.CtrlClt.API.CurrentAPISession, context.CtrlClt.GetCurrentApiSession()
	ask := current_api_session.NewExtendCurrentIdentityAuthenticatorParams()
	ask.ID = *own.ID
	ask.Extend = &rest_model.IdentityExtendEnrollmentRequest{ClientCertCsr: &wanted.request}
	answer, err := api.ExtendCurrentIdentityAuthenticator(ask, writer)
	if err != nil {
		return rest_util.WrapErr(err)
	}
	issued := answer.Payload.Data
	config := ziti.NewConfig(context.CtrlClt.ApiUrls[0].String(), wanted.identityWith(issued.ClientCert, issued.Ca))
	if err := writeIdentity(*out, config); err != nil {
		return err
	}
	if *verify {
		show := current_api_session.NewExtendVerifyCurrentIdentityAuthenticatorParams()
		show.ID = *own.ID
		show.Extend = &rest_model.IdentityExtendValidateEnrollmentRequest{ClientCert: &issued.ClientCert}
		if _, err := api.ExtendVerifyCurrentIdentityAuthenticator(show, writer); err != nil {
			return rest_util.WrapErr(err)
		}
	}
	session.tell("extended", facts{"isVerified": *verify})
	return nil
}

// ownCertificate is the authenticator that the identity's certificate stands for.
func ownCertificate(context *ziti.ContextImpl) (*rest_model.AuthenticatorDetail, error) {
	params := current_api_session.NewListCurrentIdentityAuthenticatorsParams()
	answer, err := context.CtrlClt.API.CurrentAPISession.ListCurrentIdentityAuthenticators(params, context.CtrlClt.GetCurrentApiSession())
	if err != nil {
		return nil, rest_util.WrapErr(err)
	}
	for _, authenticator := range answer.Payload.Data {
		if *authenticator.Method == "cert" {
			return authenticator, nil
		}
	}
	return nil, errors.New("there is no certificate to extend")
}
