/** The `response` part of a policy: how a blocked request is answered. */
import * as z from 'zod';
import { control, RedirectUrl, secret, text, token, WebUrl } from './fields.ts';
import { limits } from './limits.ts';
import { captchaProviders, carriesStatus, isMode, modeNames, statusesOf } from './modes.ts';
import { crossChecked, type Fields, type Finding, report } from './problem.ts';

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
  return { kind: 'conflict', message: `${name} is set twice: case does not tell headers apart`, isAboutKey: true };
}

const ResponseHeaders = z.record(z.string(), text(limits.headerBytes)).superRefine((headers, ctx) => {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const finding = headerFinding(name, value, seen.has(name.toLowerCase()));
    if (finding) report(ctx, { ...finding, path: [name] });
    seen.add(name.toLowerCase());
  }
});

const providerNames = [...Object.keys(captchaProviders), ...Object.values(captchaProviders)] as [string, ...string[]];
const keyBytes = 256; // the providers' keys have 30 to 60 characters

export const Captcha = z.strictObject({
  provider: z.enum(providerNames).describe('captcha-a is Turnstile, captcha-b hCaptcha, captcha-c reCAPTCHA.'),
  siteKey: text(keyBytes, 1).describe('The public key of the widget.'),
  secretKey: secret(1, keyBytes)
    .optional()
    .describe('Key for verification, or ${NAME}; without it the page only challenges.'),
  passMinutes: z.int().min(1).max(1440).default(60).describe('How long a solved challenge excuses its rule, minutes.'),
  title: text(200).default('One more step').describe('Heading of the page.'),
  verifyUrl: WebUrl.optional().describe('Verification endpoint; default: the provider.'),
});

const ContentType = text(256, 1).superRefine((value, ctx) => {
  if (control.test(value)) report(ctx, { kind: 'bad_value', message: noControl });
});

function* checkStatus({ mode, statusCode }: Fields): Iterable<Finding> {
  if (!isMode(mode) || typeof statusCode !== 'number' || carriesStatus(mode, statusCode)) return;
  yield { kind: 'bad_value', message: `expected ${statusesOf(mode)} for mode ${mode}`, path: ['statusCode'] };
}

/** Keys that a mode cannot do without. */
export const neededKeys = { proxy: 'proxyUrl', captcha: 'captcha' } as const;

function* checkNeeded(response: Fields): Iterable<Finding> {
  for (const [mode, key] of Object.entries(neededKeys))
    if (response.mode === mode && response[key] === undefined)
      yield { kind: 'missing_key', message: `mode ${mode} needs ${key}`, path: [key] };
}

const Keys = z.strictObject({
  mode: z.enum(modeNames).default('text').describe('How a blocked request is answered.'),
  statusCode: z.int().min(200).max(599).optional().describe('Status of the answer; default: per mode.'),
  body: text(limits.responseBodyBytes).optional().describe('Body of the modes that carry one; default: per mode.'),
  contentType: ContentType.optional().describe('Content-Type; default: per mode.'),
  headers: ResponseHeaders.default({}).describe('Further response headers.'),
  redirectUrl: RedirectUrl.default('/').describe('Target of mode redirect: http, https or root-relative.'),
  proxyUrl: WebUrl.optional().describe('Target of mode proxy; required there.'),
  gzipBombMb: z.int().min(1).max(1024).default(10).describe('Decompressed size of gzip_bomb, MiB.'),
  retryAfterSeconds: z.int().min(1).max(86_400).default(300).describe('Retry-After of ratelimit, seconds.'),
  tarpitDelayMs: z.int().min(10).max(30_000).default(1000).describe('Time between two bytes of tarpit, milliseconds.'),
  tarpitMaxDurationSeconds: z.int().min(1).max(3600).default(60).describe('When a tarpit ends, seconds.'),
  streamSizeMb: z.int().min(1).max(102_400).default(100).describe('Size of infinite_stream, MiB.'),
  maxResponseSeconds: z
    .int()
    .min(1)
    .max(3600)
    .default(60)
    .describe('When gzip_bomb, infinite_stream and proxy end, seconds.'),
  captcha: Captcha.optional().describe('Used by mode captcha.'),
  maxHeld: z
    .int()
    .min(1)
    .max(65_536)
    .default(256)
    .describe('Requests held at once by the modes that hold, per proxy process; past it the answer is text.'),
  maxHeldPerAddress: z.int().min(1).max(65_536).default(8).describe('The same, per client address.'),
});

export const Response = crossChecked(Keys, checkStatus, checkNeeded);
export type Response = z.output<typeof Response>;
