package main

import "flag"

// enrollTotp gives the caller a second factor, as somebody does who is logged in already.
func enrollTotp(args []string, session *dialogue) error {
	flags := flag.NewFlagSet("enroll-totp", flag.ExitOnError)
	who := callerFlags(flags)
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
	detail, err := context.EnrollZitiMfa()
	if err != nil {
		return err
	}
	code, err := session.ask("enrollment-code-wanted", facts{"provisioningUrl": detail.ProvisioningURL})
	if err != nil {
		return err
	}
	if err := context.VerifyZitiMfa(code); err != nil {
		return err
	}
	session.tell("totp-enrolled", facts{"recoveryCodes": detail.RecoveryCodes})
	return nil
}
