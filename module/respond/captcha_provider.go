package respond

// captchaProvider is what a provider of challenges documents: contract/policy/captcha.ts.
type captchaProvider struct {
	widgetClass           string
	tokenField            string
	scriptURL             string
	verifyURL             string
	contentSecurityPolicy string
}
