package respond

// captchaProvider is the documented interface of a provider of challenges: contract/policy/captcha.ts.
type captchaProvider struct {
	widgetClass           string
	tokenField            string
	scriptURL             string
	verifyURL             string
	contentSecurityPolicy string
}
