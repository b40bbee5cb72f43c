/**
 * Response mode captcha: what the three providers document, and every text and name that the guards in Caddy, Traefik
 * and nginx have to agree on byte for byte. Bounds are in limits.ts, docs/captcha.md has the protocol.
 */

export interface CaptchaProvider {
  /** Class of the element that the script turns into the widget. */
  readonly widgetClass: string;
  /** Field of the form that the widget puts its token in. */
  readonly tokenField: string;
  readonly scriptUrl: string;
  /** Where tokens are verified when the policy has no `verifyUrl`. */
  readonly verifyUrl: string;
  /**
   * Whether `hostname` of a verification is compared with the host of the request when the policy has no `hostnames`.
   * hCaptcha derives it from what the browser says, and sends `not-provided` when a site has many challenges.
   */
  readonly comparesHost: boolean;
  /** Documented site keys for tests. Their tokens carry a made-up `hostname`, which is not compared. */
  readonly testKeys: readonly string[];
  /** What the provider asks a Content-Security-Policy to allow, by directive. */
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
      // Its script writes style attributes; without this the widget cannot be used.
      'style-src': ["'unsafe-inline'"],
    },
  },
} as const satisfies Record<string, CaptchaProvider>;

/** Content-Security-Policy of the page: nothing but the provider, no frame around it, no form to elsewhere. */
export function contentSecurityPolicy({ allows }: CaptchaProvider): string {
  const provider = Object.entries(allows).map(([directive, sources]) => `${directive} ${sources.join(' ')}`);
  const own = ["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"];
  return ["default-src 'none'", ...provider, ...own].join('; ');
}

/** Names and labels. */
export const captchaNames = {
  /** The answer of the form goes here; compared with the raw target without its query. */
  path: '/.guard/captcha',
  stateField: 'state',
  /** Followed by 16 hexadecimal digits, which depend on the policy and on the rule. */
  cookiePrefix: 'guard_pass_',
  /** First field of a state: what comes after it may change with the version. */
  stateVersion: '1',
  /** In front of what decides how a challenge is solved (docs/captcha.md), so that policies which differ in it have different keys. */
  policyLabel: 'guard-captcha-policy\0',
  /** In front of a rule whose cookie gets a name. */
  nameLabel: 'guard-captcha-name\0',
  /** In front of what is signed, so that a pass is never a state. */
  stateLabel: 'guard-captcha-state\0',
  passLabel: 'guard-captcha-pass\0',
  referrerPolicy: 'same-origin',
} as const;

const head = `<!DOCTYPE html>
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
const foot = '</main>\n</body>\n</html>\n';

/**
 * The page in pieces. `[[name]]` is replaced once, by what is escaped for HTML already: title, script, widget (the
 * class), site_key, action (`action` below, or nothing), alert (`alert` below, or nothing) and state.
 */
export const captchaTexts = {
  /** Of a policy with `secretKey`. */
  page: `${head}[[alert]]<p>Please confirm that you are human. Then you are taken to the page that you asked for.</p>
<noscript><p>The check needs JavaScript. Turn it on for this site and load the page again, or ask the owner of the site for access.</p></noscript>
<form method="post" action="${captchaNames.path}">
${widget}<input type="hidden" name="${captchaNames.stateField}" value="[[state]]">
<button type="submit">Continue</button>
</form>
${foot}`,
  /** For a policy without `secretKey`: the solution cannot be verified. */
  challengeOnly: `${head}<p>The request was blocked, and solving the check does not change that. If you need this page, ask the owner of the site for access.</p>
<noscript><p>The check needs JavaScript.</p></noscript>
${widget}${foot}`,
  /** Attribute of the widget for a policy with `action`, which needs no escapes. */
  action: ' data-action="[[action]]"',
  alert: '<p role="alert">The check could not be completed. Please try again.</p>\n',
} as const;
