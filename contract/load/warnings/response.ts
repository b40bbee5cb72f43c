/** Answers of a policy that will not arrive as meant. */

import { compile } from '../../engine/index.ts';
import { type ModeRow, modes } from '../../policy/modes.ts';
import type { Policy } from '../../policy/schema.ts';
import { type Fields, isFields } from '../../schema/problem.ts';
import { isLoopback } from '../../values/endpoint.ts';
import type { Warning } from './warning.ts';

/** Keys of `response` that count in every mode. */
const always = ['mode', 'headers'];

/** Options in the file that its mode does not read. */
export function* unreadOptions({ response }: Policy, file: Fields): Iterable<Warning> {
  const { options }: ModeRow = modes[response.mode];
  for (const key of Object.keys(isFields(file.response) ? file.response : {}))
    if (!always.includes(key) && !options.includes(key))
      yield { kind: 'no_effect', path: ['response', key], message: `mode ${response.mode} does not read it` };
}

/** The provider's secret key and the tokens of visitors in clear over a network. */
export function* captchaInClear({ response }: Policy): Iterable<Warning> {
  if (response.mode !== 'captcha') return;
  const url = URL.parse(response.captcha?.verifyUrl ?? '');
  if (url?.protocol !== 'http:' || isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1'))) return;
  const path = ['response', 'captcha', 'verifyUrl'];
  yield { kind: 'clear_text', path, message: 'secretKey travels unencrypted', hint: 'use https off this machine' };
}

export function* captcha({ response, secret }: Policy): Iterable<Warning> {
  if (response.mode !== 'captcha') return;
  if (response.captcha?.secretKey === undefined) {
    const message = 'the page challenges, and nobody checks the answer: nobody passes';
    yield { kind: 'challenge_only', path: ['response', 'captcha'], message, hint: 'set secretKey' };
  } else if (secret === undefined) {
    const message =
      'each process makes its own key: with several workers or replicas a pass of one is none to the others';
    yield { kind: 'process_secret', path: ['response', 'mode'], message, hint: 'set secret' };
  }
}

const cleanAnswer = 'mode json or html with status 403 or 404 answers cleanly';

export function* silentDrop({ response, trustedProxies }: Policy): Iterable<Warning> {
  if (response.mode !== 'silent_drop') return;
  const path = ['response', 'mode'];
  const traefik = 'on HTTP/2 Traefik cannot reset a stream for a plugin: an empty 403 is sent there';
  yield { kind: 'abrupt_close', path, message: traefik };
  if (trustedProxies.length === 0) return;
  const edge = 'the proxies in trustedProxies see an abrupt close and answer 502';
  yield { kind: 'abrupt_close', path, message: edge, hint: cleanAnswer };
}

/** A redirect into what the policy blocks: the client goes round in circles. */
export function* blockedRedirect(policy: Policy): Iterable<Warning> {
  const { mode, redirectUrl } = policy.response;
  if (mode !== 'redirect' || !redirectUrl.startsWith('/')) return;
  const { verdict, rule, reason } = compile(policy).evaluate({ method: 'GET', target: redirectUrl, headers: [] });
  if (verdict !== 'blocked') return;
  const message = `the policy blocks this target itself (${rule ?? reason}): the client is sent round in circles`;
  yield {
    kind: 'blocked_redirect',
    path: ['response', 'redirectUrl'],
    message,
    hint: 'allow it, or send them elsewhere',
  };
}
