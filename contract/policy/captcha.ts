/**
 * Response mode captcha: the interface of the three providers, and all texts and names of the guards. docs/captcha.md
 * has the protocol.
 */

export interface CaptchaProvider {
  /** Class of the element that the script replaces with the widget. */
  readonly widgetClass: string;
  /** The form field with the token of the widget. */
  readonly tokenField: string;
  readonly scriptUrl: string;
  /** URL that verifies tokens when the policy has no `verifyUrl`. */
  readonly verifyUrl: string;
  /**
   * Whether the `hostname` of a verification must be the host of the request when the policy has no `hostnames`.
   * hCaptcha takes the `hostname` from the browser, and sends `not-provided` for busy sites.
   */
  readonly comparesHost: boolean;
  /** Documented site keys for tests. Their tokens have an invented `hostname`, which is not compared. */
  readonly testKeys: readonly string[];
  /** Sources that the provider needs in a Content-Security-Policy, by directive. */
  readonly allows: Readonly<Record<string, readonly string[]>>;
}

const hcaptchaHosts = ['https://hcaptcha.com', 'https://*.hcaptcha.com'];

export const captchaProviderRows = {
  turnstile: {
    widgetClass: 'cf-turnstile',
    tokenField: 'cf-turnstile-response',
    scriptUrl: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    comparesHost: true,
    testKeys: [
      '1x00000000000000000000AA',
      '2x00000000000000000000AB',
      '1x00000000000000000000BB',
      '2x00000000000000000000BB',
      '3x00000000000000000000FF',
    ],
    allows: {
      'script-src': ['https://challenges.cloudflare.com'],
      'frame-src': ['https://challenges.cloudflare.com'],
    },
  },
  hcaptcha: {
    widgetClass: 'h-captcha',
    tokenField: 'h-captcha-response',
    scriptUrl: 'https://js.hcaptcha.com/1/api.js',
    verifyUrl: 'https://api.hcaptcha.com/siteverify',
    comparesHost: false,
    testKeys: [],
    allows: {
      'script-src': hcaptchaHosts,
      'frame-src': hcaptchaHosts,
      'style-src': hcaptchaHosts,
      'connect-src': hcaptchaHosts,
    },
  },
  recaptcha: {
    widgetClass: 'g-recaptcha',
    tokenField: 'g-recaptcha-response',
    scriptUrl: 'https://www.google.com/recaptcha/api.js',
    verifyUrl: 'https://www.google.com/recaptcha/api/siteverify',
    comparesHost: true,
    testKeys: ['6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI'],
    allows: {
      'script-src': ['https://www.google.com/recaptcha/', 'https://www.gstatic.com/recaptcha/'],
      'frame-src': ['https://www.google.com/recaptcha/', 'https://recaptcha.google.com/recaptcha/'],
      // The script writes style attributes, without which the widget is unusable.
      'style-src': ["'unsafe-inline'"],
    },
  },
} as const satisfies Record<string, CaptchaProvider>;

/**
 * Returns the Content-Security-Policy of the page. It allows only the provider, no embedding in a frame, and no form to
 * another site.
 */
export function contentSecurityPolicy({ allows }: CaptchaProvider): string {
  const provider = Object.entries(allows).map(([directive, sources]) => `${directive} ${sources.join(' ')}`);
  const own = ["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"];
  return ["default-src 'none'", ...provider, ...own].join('; ');
}

/** Names in URLs, forms, cookies and headers, and labels. Each signed text begins with the label of its kind. */
export const captchaNames = {
  /** Path that receives the form of the page. It is compared with the raw target without its query. */
  path: '/.guard/captcha',
  stateField: 'state',
  /** Start of the cookie name. 16 hexadecimal digits follow, which depend on the policy and the rule. */
  cookiePrefix: 'guard_pass_',
  /** First field of a state. A new version may change the other fields. */
  stateVersion: '1',
  /**
   * Precedes the settings from which the signing key is derived, such as the provider. Policies with different settings
   * have different keys.
   */
  policyLabel: 'guard-captcha-policy\0',
  /** Precedes a rule when the name of its cookie is derived. */
  nameLabel: 'guard-captcha-name\0',
  /** Precedes a signed state, so that a pass is never a valid state. */
  stateLabel: 'guard-captcha-state\0',
  passLabel: 'guard-captcha-pass\0',
  referrerPolicy: 'same-origin',
} as const;

const pageHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>[[title]]</title>
<script src="[[script]]" async defer></script>
</head>
<body>
<main>
<h1>[[title]]</h1>
`;
const widget = '<div class="[[widget]]" data-sitekey="[[site_key]]"[[action]]></div>\n';
const pageEnd = '[[reference]]</main>\n</body>\n</html>\n';

/**
 * Pieces of the page. Each `[[name]]` is replaced, in one pass: title, script, widget (the class), site_key, action and
 * alert (below, or nothing), state, and reference (`referenceNotes`, or nothing). Values are escaped for HTML.
 */
export const captchaTexts = {
  /** The page of a policy with `secretKey`. */
  page: `${pageHead}[[alert]]<p>Please confirm that you are human. Then you are taken to the page that you asked for.</p>
<noscript><p>The check needs JavaScript. Turn it on for this site and load the page again, or ask the owner of the site for access.</p></noscript>
<form method="post" action="${captchaNames.path}">
${widget}<input type="hidden" name="${captchaNames.stateField}" value="[[state]]">
<button type="submit">Continue</button>
</form>
${pageEnd}`,
  /** The page of a policy without `secretKey`, which cannot verify solutions. */
  challengeOnly: `${pageHead}<p>The request was blocked, and solving the check does not change that. If you need this page, ask the owner of the site for access.</p>
<noscript><p>The check needs JavaScript.</p></noscript>
${widget}${pageEnd}`,
  /** Attribute of the widget for a policy with `action`, whose characters need no escapes. */
  action: ' data-action="[[action]]"',
  alert: '<p role="alert">The check could not be completed. Please try again.</p>\n',
} as const;
