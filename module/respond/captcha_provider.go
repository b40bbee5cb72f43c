package respond

// captchaProvider is the documented interface of a captcha provider: contract/policy/captcha.ts.
type captchaProvider struct {
	name                  string
	widgetClass           string
	tokenField            string
	scriptURL             string
	verifyURL             string
	contentSecurityPolicy string
	comparesHost          bool // compares the host of the request when the policy has no hostnames
	testKeys              []string
}
