/**
 * A captcha provider on this machine. It does what the three real ones document: a widget gives the visitor a token, a
 * server asks whether it is good, and it is good once. It can fail on request as real ones do.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

/** Ways of failing: what becomes of a question. */
const faults = {
  /** Takes the question and says nothing. */
  slow: () => {},
  /** The connection ends. */
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
  /** Path of `verifyUrl`. */
  readonly verifyPath: string;
  /** A token, as a visitor has one who solved the challenge. */
  readonly solve: () => string;
  /** The script of the widget, with a unique token. */
  readonly widget: () => string;
  /** How it fails from now on; none: it does not. */
  readonly fail: (fault?: Fault) => void;
  /** Answers in their order: what was asked, without the secret. */
  readonly questions: readonly { readonly token: string; readonly address: string | null }[];
}

/** Every provider's class and field. */
const widgets = {
  'cf-turnstile': 'cf-turnstile-response',
  'h-captcha': 'h-captcha-response',
  'g-recaptcha': 'g-recaptcha-response',
};

/** The widget: a checkbox, which fills the field as those of the providers do. */
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

const secretKey = 'the key of the provider on this machine';
const verifyPath = '/siteverify';

/** What the providers answer: good, or the code of what is wrong. */
function verdict(form: URLSearchParams, tokens: Map<string, 'fresh' | 'spent'>): string | undefined {
  const token = form.get('response');
  if (!form.has('secret')) return 'missing-input-secret';
  if (form.get('secret') !== secretKey) return 'invalid-input-secret';
  if (!token) return 'missing-input-response';
  if (!tokens.has(token)) return 'invalid-input-response';
  return tokens.get(token) === 'spent' ? 'timeout-or-duplicate' : undefined;
}

/** Listens on every address, for containers; closed after the test. */
export async function startProvider(t: Pick<TestContext, 'after'>): Promise<CaptchaProvider> {
  const tokens = new Map<string, 'fresh' | 'spent'>();
  const questions: { token: string; address: string | null }[] = [];
  let fault: Fault | undefined;

  const solve = (): string => {
    const token = `solved-${tokens.size}`;
    tokens.set(token, 'fresh');
    return token;
  };

  async function verify(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const token = form.get('response') ?? '';
    questions.push({ token, address: form.get('remoteip') });
    if (fault !== undefined) return faults[fault](answer);
    const code = verdict(form, tokens);
    if (code === undefined) tokens.set(token, 'spent');
    const solved = { challenge_ts: new Date().toISOString(), hostname: 'localhost' };
    answer.setHeader('Content-Type', 'application/json');
    answer.end(
      JSON.stringify({ success: code === undefined, 'error-codes': code ? [code] : [], ...(code ? {} : solved) }),
    );
  }

  const server = createServer((request, answer) => {
    const { pathname } = new URL(request.url ?? '/', 'http://provider');
    if (pathname.endsWith('/api.js')) answer.setHeader('Content-Type', 'text/javascript').end(script(solve()));
    else if (pathname === verifyPath && request.method === 'POST')
      void verify(request, answer).catch(() => answer.destroy());
    else answer.writeHead(404).end();
  }).listen(0, '0.0.0.0');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    secretKey,
    verifyPath,
    solve,
    widget: () => script(solve()),
    fail: (next) => {
      fault = next;
    },
    questions,
  };
}
