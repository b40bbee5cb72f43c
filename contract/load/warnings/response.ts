import { type ModeRow, modes } from '../../policy/modes.ts';
import type { Policy } from '../../policy/schema.ts';
import { type Fields, isFields, valueAt } from '../../schema/problem.ts';
import { isLoopback } from '../../values/endpoint.ts';
import type { Warning } from './warning.ts';

const keysOfEveryMode = ['mode', 'headers'];

export function* unreadOptions({ response, banList }: Policy, file: Fields): Iterable<Warning> {
  for (const [path, mode] of [
    [['response'], response.mode],
    [['banList', 'response'], banList?.response?.mode],
  ] as const) {
    const [written, { options }]: [unknown, ModeRow] = [valueAt(file, path), modes[mode ?? 'text']];
    for (const key of Object.keys(isFields(written) ? written : {}))
      if (!keysOfEveryMode.includes(key) && !options.includes(key))
        yield { kind: 'no_effect', path: [...path, key], message: `mode ${mode} does not read it` };
  }
}

/** Warns of a URL that sends the provider's secret key and the visitors' tokens unencrypted over a network. */
export function* captchaInClear({ response }: Policy): Iterable<Warning> {
  if (response.mode !== 'captcha') return;
  const url = URL.parse(response.captcha?.verifyUrl ?? '');
  if (url?.protocol !== 'http:' || isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1'))) return;
  const path = ['response', 'captcha', 'verifyUrl'];
  yield { kind: 'clear_text', path, message: 'secretKey is sent unencrypted', hint: 'use https off this machine' };
}

export function* captchaWarnings({ response, secret }: Policy): Iterable<Warning> {
  if (response.mode !== 'captcha') return;
  if (response.captcha?.secretKey === undefined) {
    const message = 'the page shows a challenge, but the guard does not verify it: no visitor passes';
    yield { kind: 'challenge_only', path: ['response', 'captcha'], message, hint: 'set secretKey' };
  } else if (secret === undefined) {
    const message =
      'each process generates its own key: with several workers or replicas, a pass from one is invalid for the others';
    yield { kind: 'process_secret', path: ['response', 'mode'], message, hint: 'set secret' };
  }
}

const cleanAnswer = 'mode json or html with status 403 or 404 sends a regular response';

export function* silentDrop({ response, trustedProxies }: Policy): Iterable<Warning> {
  if (response.mode !== 'silent_drop') return;
  const path = ['response', 'mode'];
  const traefik = 'on HTTP/2 Traefik cannot reset a stream for a plugin: it sends an empty 403 instead';
  yield { kind: 'abrupt_close', path, message: traefik };
  if (trustedProxies.length === 0) return;
  const edge = 'the proxies in trustedProxies see an abrupt close and respond with 502';
  yield { kind: 'abrupt_close', path, message: edge, hint: cleanAnswer };
}
