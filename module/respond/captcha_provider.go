package respond

// captchaProvider is the documented interface of a provider of challenges: contract/policy/captcha.ts.
type captchaProvider struct {
	name                  string
	widgetClass           string
	tokenField            string
	scriptURL             string
	verifyURL             string
	contentSecurityPolicy string
	comparesHost          bool // with the host of the request, where the policy names none
	testKeys              []string
}
