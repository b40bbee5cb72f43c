import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { listen } from '../../support/listen.ts';

/** Functions that handle a verification request wrongly. */
const faults = {
  /** Never responds. */
  slow: () => {},
  down: (answer: ServerResponse) => void answer.destroy(),
  moved: (answer: ServerResponse) => void answer.writeHead(307, { Location: '/' }).end(),
  unwell: (answer: ServerResponse) => void answer.writeHead(503).end('{"success":true}'),
  garbage: (answer: ServerResponse) => void answer.end('<html>moved</html>'),
  huge: (answer: ServerResponse) => void answer.end(JSON.stringify({ success: true, padding: 'x'.repeat(2 ** 20) })),
} as const;
export type Fault = keyof typeof faults;
export const faultNames = Object.keys(faults) as Fault[];

export interface CaptchaProvider {
  readonly port: number;
  readonly secretKey: string;
  /** Path at which the provider verifies tokens. */
  readonly verifyPath: string;
  /** Returns a token. Default host: `localhost`. */
  readonly solve: (hostname?: string) => string;
  /** Returns the script of a widget with a new token. */
  readonly widgetScript: () => string;
  /** The fault applies to all further requests. Absent: none. */
  readonly fail: (fault?: Fault) => void;
  /** Verification requests in order, without the secret. */
  readonly verificationRequests: readonly { readonly token: string; readonly address: string | null }[];
  /** Number of connections so far. */
  readonly connections: () => number;
}

const widgets = {
  'cf-turnstile': 'cf-turnstile-response',
  'h-captcha': 'h-captcha-response',
  'g-recaptcha': 'g-recaptcha-response',
};

/** Script of the widget: its checkbox fills the field with the token. */
const script = (token: string): string => `
for (const [widget, field] of Object.entries(${JSON.stringify(widgets)}))
  for (const element of document.getElementsByClassName(widget)) {
    const label = element.appendChild(document.createElement('label'));
    const box = label.appendChild(document.createElement('input'));
    const answer = element.appendChild(document.createElement('input'));
    label.append('I am human');
    Object.assign(box, { type: 'checkbox' });
    Object.assign(answer, { type: 'hidden', name: field });
    box.addEventListener('change', () => { answer.value = box.checked ? ${JSON.stringify(token)} : ''; });
  }
`;

interface Token {
  readonly hostname: string;
  isSpent: boolean;
}

const secretKey = 'the key of the provider on this machine';
const verifyPath = '/siteverify';

/** Returns undefined when the token is valid. */
function errorOfToken(form: URLSearchParams, tokens: ReadonlyMap<string, Token>): string | undefined {
  const token = form.get('response');
  if (!form.has('secret')) return 'missing-input-secret';
  if (form.get('secret') !== secretKey) return 'invalid-input-secret';
  if (!token) return 'missing-input-response';
  const solved = tokens.get(token);
  if (!solved) return 'invalid-input-response';
  return solved.isSpent ? 'timeout-or-duplicate' : undefined;
}

/** Starts a provider that listens on every IPv4 address, so that containers reach it. */
export async function startProvider(t: Pick<TestContext, 'after'>): Promise<CaptchaProvider> {
  const tokens = new Map<string, Token>();
  const verificationRequests: { token: string; address: string | null }[] = [];
  let fault: Fault | undefined;
  let connections = 0;

  const solve = (hostname = 'localhost'): string => {
    const token = `solved-${tokens.size}`;
    tokens.set(token, { hostname, isSpent: false });
    return token;
  };

  async function verify(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const token = form.get('response') ?? '';
    verificationRequests.push({ token, address: form.get('remoteip') });
    if (fault !== undefined) return faults[fault](answer);
    const code = errorOfToken(form, tokens);
    answer.setHeader('Content-Type', 'application/json');
    const solved = tokens.get(token);
    if (code !== undefined || !solved) {
      answer.end(JSON.stringify({ success: false, 'error-codes': [code] }));
      return;
    }
    solved.isSpent = true;
    const { hostname } = solved;
    answer.end(JSON.stringify({ success: true, 'error-codes': [], challenge_ts: new Date().toISOString(), hostname }));
  }

  const server = createServer((request, answer) => {
    const { pathname } = new URL(request.url ?? '/', 'http://provider');
    if (pathname.endsWith('/api.js')) answer.setHeader('Content-Type', 'text/javascript').end(script(solve()));
    else if (pathname === verifyPath && request.method === 'POST')
      void verify(request, answer).catch(() => answer.destroy());
    else answer.writeHead(404).end();
  });
  server.on('connection', () => (connections += 1));
  const port = await listen(t, server, '0.0.0.0');
  return {
    port,
    secretKey,
    verifyPath,
    solve,
    widgetScript: () => script(solve()),
    fail: (next) => {
      fault = next;
    },
    verificationRequests,
    connections: () => connections,
  };
}
