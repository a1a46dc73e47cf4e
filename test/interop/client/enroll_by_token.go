package main

import (
	"flag"
	"net/url"
	"os"

	"github.com/openziti/edge-api/rest_client_api_client/enroll"
	"github.com/openziti/edge-api/rest_model"
	"github.com/openziti/edge-api/rest_util"
	apis "github.com/openziti/sdk-golang/edge-apis"
	"github.com/openziti/sdk-golang/ziti"
)

// enrollByToken enrolls with a token of an external provider: for a certificate, if there is a file to put it in, else to log
// in by such tokens.
func enrollByToken(args []string, session *dialogue) error {
	flags := flag.NewFlagSet("enroll-by-token", flag.ExitOnError)
	who := callerFlags(flags)
	out := flags.String("out", "", "identity `file` to write: ask for a certificate")
	if err := flags.Parse(args); err != nil {
		return err
	}
	token, err := who.token()
	if err != nil {
		return err
	}
	pool, err := readPool(who.caFile)
	if err != nil {
		return err
	}
	apiUrl, err := url.Parse(who.apiUrl)
	if err != nil {
		return err
	}
	client := apis.NewClientApiClient([]*url.URL{apiUrl}, pool, nil)

	params := enroll.NewEnrollTokenParams()
	params.Authorization = "Bearer " + token
	params.TokenEnrollmentRequest = &rest_model.TokenEnrollmentRequest{}
	var wanted *certificateRequest
	if *out != "" {
		if wanted, err = newCertificateRequest("client"); err != nil {
			return err
		}
		params.TokenEnrollmentRequest.ClientCsr = wanted.request
	}
	answer, err := client.API.Enroll.EnrollToken(params)
	if err != nil {
		return rest_util.WrapErr(err)
	}
	issued := answer.Payload.Data
	if wanted != nil {
		authorities, err := os.ReadFile(who.caFile)
		if err != nil {
			return err
		}
		config := ziti.NewConfig(who.apiUrl, wanted.identityWith(issued.Cert, string(authorities)))
		if err := writeIdentity(*out, config); err != nil {
			return err
		}
	}
	session.tell("enrolled", facts{"hasCertificate": issued != nil && issued.Cert != ""})
	return nil
}
