import * as z from 'zod/mini';
import { crossChecked } from '../schema/cross-checked.ts';
import { control, formed, HostName, refined, secret, text } from '../schema/fields.ts';
import { defaulted, integer, list, optional, required } from '../schema/kinds.ts';
import { type CrossCheck, type Fields, type Finding, report } from '../schema/problem.ts';
import { RedirectUrl, WebUrl } from '../schema/web-url.ts';
import { token } from '../values/token.ts';
import { limits } from './limits.ts';
import { captchaKeys, captchaProviders, carriesStatus, isMode, type Mode, modeNames, statusesOf } from './modes.ts';

/** Response headers that a policy cannot set: hop-by-hop (RFC 9110 7.6.1) and framing. */
export const framingHeaders = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'content-encoding',
];

const noControl = 'expected a header value without control characters';

function headerFinding(name: string, value: string, isRepeated: boolean): Omit<Finding, 'path'> | undefined {
  const key = (message: string) => ({ kind: 'bad_value', message, isAboutKey: true }) as const;
  if (!token.test(name)) return key('expected a header name (RFC 9110 token)');
  if (framingHeaders.includes(name.toLowerCase())) return key(`${name} is set by the proxy alone`);
  if (control.test(value)) return { kind: 'bad_value', message: noControl };
  if (!isRepeated) return undefined;
  return { kind: 'conflict', message: `${name} is set twice: header names are case-insensitive`, isAboutKey: true };
}

const checkHeaders = z.superRefine<Record<string, string>>((headers, ctx) => {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const finding = headerFinding(name, value, seen.has(name.toLowerCase()));
    if (finding) report(ctx, { ...finding, path: [name] });
    seen.add(name.toLowerCase());
  }
});

const ResponseHeaders = z.record(z.string(), text(limits.headerBytes)).check(checkHeaders);

const providerNames = [...Object.keys(captchaProviders), ...Object.values(captchaProviders)] as [string, ...string[]];
const keyBytes = 256; // the providers' keys have 30 to 60 characters

const mostHostNames = 64; // a policy for more hosts should omit `hostnames`
const Action = formed(/^[A-Za-z0-9_-]+$/, 'letters, digits, _ or -', 32); // Turnstile and reCAPTCHA both accept this

function* checkProvider({ provider, ...keys }: Fields): Iterable<Finding> {
  if (!providerNames.includes(provider as string)) return;
  for (const { key, providers } of captchaKeys)
    if (keys[key] && !providers.includes(provider as never)) {
      const message = `no response of ${provider} has it to compare; remove it, or use one of ${providers.join(', ')}`;
      yield { kind: 'bad_value', message, path: [key], isAboutKey: true };
    }
}

const CaptchaKeys = z.strictObject({
  provider: required(z.enum(providerNames), 'captcha-a is Turnstile, captcha-b hCaptcha, captcha-c reCAPTCHA.'),
  siteKey: required(text(keyBytes, 1), 'The public key of the widget.', '1x00000000000000000000AA'),
  secretKey: optional(secret(1, keyBytes), 'Key for verification, or ${NAME}; without it the page only challenges.'),
  passMinutes: defaulted(integer(1, 1440), 60, 'How long a solved challenge excuses its rule, minutes.'),
  title: defaulted(text(200), 'One more step', 'Heading of the page.'),
  verifyUrl: optional(WebUrl, 'Verification endpoint; default: the provider.'),
  hostnames: defaulted(
    list(HostName, mostHostNames),
    [],
    'Hosts on which a challenge may be solved; none: that of the request.',
  ),
  action: optional(Action, 'The action that a verification must have; Turnstile and reCAPTCHA.'),
  minScorePercent: optional(integer(1, 100), 'The lowest score that passes, in hundredths; reCAPTCHA with scores.'),
});
export const Captcha = crossChecked(CaptchaKeys, checkProvider);

const ContentType = refined(256, (value) => (control.test(value) ? noControl : undefined));

function* checkStatus({ mode, statusCode }: Fields): Iterable<Finding> {
  if (!isMode(mode) || typeof statusCode !== 'number' || carriesStatus(mode, statusCode)) return;
  yield { kind: 'bad_value', message: `expected ${statusesOf(mode)} for mode ${mode}`, path: ['statusCode'] };
}

export const requiredKeys = { proxy: 'proxyUrl', captcha: 'captcha' } as const;

const requiredHints: Readonly<Record<string, string>> = {
  proxyUrl: 'write "proxyUrl": "http://127.0.0.1:9000"',
  captcha: 'write "captcha": {"provider": "captcha-a", "siteKey": "..."} (docs/captcha.md)',
};

/** Returns a check that a response has the key that its mode needs. */
const checkRequired = (keys: Readonly<Record<string, string>>): CrossCheck =>
  function* (response) {
    for (const [mode, key] of Object.entries(keys))
      if (response.mode === mode && response[key] === undefined)
        yield { kind: 'missing_key', message: `mode ${mode} needs ${key}`, path: [key], hint: requiredHints[key] };
  };

const Keys = z.strictObject({
  mode: defaulted(z.enum(modeNames), 'text', 'The response to a blocked request.'),
  statusCode: optional(integer(200, 599), 'Status of the response; default: per mode.'),
  body: optional(text(limits.responseBodyBytes), 'Body of the modes that carry one; default: per mode.'),
  contentType: optional(ContentType, 'Content-Type; default: per mode.'),
  headers: defaulted(ResponseHeaders, {}, 'Further response headers.'),
  redirectUrl: defaulted(RedirectUrl, '/', 'Target of mode redirect: http, https or root-relative.'),
  proxyUrl: optional(WebUrl, 'Target of mode proxy; required there.'),
  gzipBombMb: defaulted(integer(1, 1024), 10, 'Decompressed size of gzip_bomb, MiB.'),
  retryAfterSeconds: defaulted(integer(1, 86_400), 300, 'Retry-After of ratelimit, seconds.'),
  tarpitDelayMs: defaulted(integer(10, 30_000), 1000, 'Time between two bytes of tarpit, milliseconds.'),
  tarpitMaxDurationSeconds: defaulted(integer(1, 3600), 60, 'When a tarpit ends, seconds.'),
  streamSizeMb: defaulted(integer(1, 102_400), 100, 'Size of infinite_stream, MiB.'),
  maxResponseSeconds: defaulted(integer(1, 3600), 60, 'When gzip_bomb, infinite_stream and proxy end, seconds.'),
  captcha: optional(Captcha, 'Used by mode captcha.'),
  maxHeld: defaulted(
    integer(1, 65_536),
    256,
    'Requests held at once by the modes that hold, per proxy process; beyond it, the response is that of mode text. Verifications of captchas are counted apart.',
  ),
  maxHeldPerAddress: defaulted(
    integer(1, 65_536),
    8,
    'The same, per client: an IPv4 address, or the /56 of an IPv6 address.',
  ),
});

export const Response = crossChecked(Keys, checkStatus, checkRequired(requiredKeys));
export type Response = z.output<typeof Response>;

const bannedModes = modeNames.filter((name) => name !== 'captcha') as [Mode, ...Mode[]];

/** The response to banned clients. A solved captcha does not lift a ban. */
export const BannedResponse = crossChecked(
  z.extend(z.omit(Keys, { captcha: true }), {
    mode: required(z.enum(bannedModes), 'The response to a banned client.'),
  }),
  checkStatus,
  checkRequired({ proxy: requiredKeys.proxy }),
);
export type BannedResponse = z.output<typeof BannedResponse>;
