export interface ModeRow {
  /** One clause for tables and help. */
  readonly summary: string;
  /** Default status of the response; null: the mode does not set one. */
  readonly statusCode: number | null;
  /** Allowed values of `statusCode`. Absent: 200 to 599 without `bodilessStatuses`. */
  readonly statusCodes?: readonly number[];
  readonly contentType?: string;
  /** Keys of `response` that the mode reads beside `mode` and `headers`. */
  readonly options: readonly string[];
  /**
   * Whether the mode holds requests open, which count against `maxHeld`. Verifications of captchas are counted
   * separately: scanners could otherwise lock out visitors.
   */
  readonly holdsRequests: boolean;
  /**
   * Whether the response shows the reference of its event. A reference would unmask decoys, traps and mirrors. No
   * person reads redirects and drops.
   */
  readonly showsReference: boolean;
}

export const modes = {
  json: {
    summary: 'JSON error for APIs',
    statusCode: 403,
    contentType: 'application/json',
    options: ['statusCode', 'body', 'contentType'],
    holdsRequests: false,
    showsReference: true,
  },
  html: {
    summary: 'error page',
    statusCode: 403,
    contentType: 'text/html; charset=utf-8',
    options: ['statusCode', 'body', 'contentType'],
    holdsRequests: false,
    showsReference: true,
  },
  text: {
    summary: 'plain-text rejection',
    statusCode: 403,
    contentType: 'text/plain; charset=utf-8',
    options: ['statusCode', 'body', 'contentType'],
    holdsRequests: false,
    showsReference: true,
  },
  xml: {
    summary: 'XML error',
    statusCode: 403,
    contentType: 'application/xml; charset=utf-8',
    options: ['statusCode', 'body', 'contentType'],
    holdsRequests: false,
    showsReference: true,
  },
  redirect: {
    summary: 'sends the scanner elsewhere',
    statusCode: 302,
    statusCodes: [301, 302, 303, 307, 308],
    options: ['statusCode', 'redirectUrl'],
    holdsRequests: false,
    showsReference: false,
  },
  captcha: {
    summary: 'challenges the visitor',
    statusCode: 403,
    contentType: 'text/html; charset=utf-8',
    options: ['statusCode', 'captcha', 'maxHeld', 'maxHeldPerAddress'],
    holdsRequests: true,
    showsReference: true,
  },
  silent_drop: {
    summary: 'closes the connection with no byte sent',
    statusCode: null,
    options: [],
    holdsRequests: false,
    showsReference: false,
  },
  gzip_bomb: {
    summary: 'compressed data that inflates to gzipBombMb',
    statusCode: 200,
    contentType: 'text/html; charset=utf-8',
    options: ['statusCode', 'contentType', 'gzipBombMb', 'maxResponseSeconds', 'maxHeld', 'maxHeldPerAddress'],
    holdsRequests: true,
    showsReference: false,
  },
  tarpit: {
    summary: 'a byte every tarpitDelayMs',
    statusCode: 200,
    contentType: 'text/plain; charset=utf-8',
    options: ['statusCode', 'contentType', 'tarpitDelayMs', 'tarpitMaxDurationSeconds', 'maxHeld', 'maxHeldPerAddress'],
    holdsRequests: true,
    showsReference: false,
  },
  fake_success: {
    summary: 'a decoy that suits the path',
    statusCode: 200,
    options: ['statusCode', 'body', 'contentType'],
    holdsRequests: false,
    showsReference: false,
  },
  ratelimit: {
    summary: '429 with Retry-After',
    statusCode: 429,
    contentType: 'text/plain; charset=utf-8',
    options: ['statusCode', 'body', 'contentType', 'retryAfterSeconds'],
    holdsRequests: false,
    showsReference: true,
  },
  proxy: {
    summary: 'mirrors the request to a honeypot',
    statusCode: null,
    options: ['proxyUrl', 'maxResponseSeconds', 'maxHeld', 'maxHeldPerAddress'],
    holdsRequests: true,
    showsReference: false,
  },
  infinite_stream: {
    summary: 'pseudo-random bytes, streamSizeMb of them',
    statusCode: 200,
    contentType: 'application/octet-stream',
    options: ['statusCode', 'contentType', 'streamSizeMb', 'maxResponseSeconds', 'maxHeld', 'maxHeldPerAddress'],
    holdsRequests: true,
    showsReference: false,
  },
} as const satisfies Record<string, ModeRow>;

export type Mode = keyof typeof modes;
export const modeNames = Object.keys(modes) as [Mode, ...Mode[]];

export function isMode(name: unknown): name is Mode {
  return typeof name === 'string' && Object.hasOwn(modes, name);
}

/** Statuses whose response has no body (RFC 9110 15.3.5, 15.3.6, 15.4.5). */
export const bodilessStatuses: readonly number[] = [204, 205, 304];

/** Whether a response of `mode` can have this status. A mode that does not set a status ignores it. */
export function carriesStatus(mode: Mode, status: number): boolean {
  const row: ModeRow = modes[mode];
  if (row.statusCodes) return row.statusCodes.includes(status);
  return row.statusCode === null || !bodilessStatuses.includes(status);
}

/** Returns the status of the response to a blocked request, or null when the mode does not set one. */
export function statusOf({ mode, statusCode }: { readonly mode: Mode; readonly statusCode?: number | undefined }) {
  const usual: ModeRow['statusCode'] = modes[mode].statusCode;
  return usual === null ? null : (statusCode ?? usual);
}

export function statusesOf(mode: Mode): string {
  const row: ModeRow = modes[mode];
  return row.statusCodes
    ? `one of ${row.statusCodes.join(', ')}`
    : `a status that has a body, not ${bodilessStatuses.join(', ')}`;
}

/** The three captcha providers, by neutral name and by real name. */
export const captchaProviders = {
  'captcha-a': 'turnstile',
  'captcha-b': 'hcaptcha',
  'captcha-c': 'recaptcha',
} as const;

/**
 * Keys of `captcha` that only some providers support. hCaptcha has no `minScorePercent`, because its score is a risk:
 * its best value is 0.
 */
export const captchaKeys = [
  { key: 'action', providers: ['captcha-a', 'turnstile', 'captcha-c', 'recaptcha'] },
  { key: 'minScorePercent', providers: ['captcha-c', 'recaptcha'] },
] as const;
