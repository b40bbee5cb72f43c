/** A site with challenges, a provider, and a visitor. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { captchaNames } from '../../../../contract/policy/captcha.ts';
import { limits } from '../../../../contract/policy/limits.ts';
import { freePort } from '../../../../platform/free-ports.ts';
import { listen } from '../../../support/listen.ts';
import { type Nginx, startNginx } from './nginx.ts';
import { type Answer, answersIn, exchangeBytes, request } from './wire.ts';

/** Responses of the provider by token. `silent` gets none, a token of only x succeeds, and others get invalid JSON. */
const responseOfToken: Readonly<Record<string, string>> = {
  good: '{"success":true,"hostname":"EXAMPLE.com"}',
  elsewhere: '{"success":true,"hostname":"elsewhere.example"}',
  redirect: '{"success":true}',
  bad: '{"success":false,"error-codes":["invalid-input-response"]}',
  text: '{"success":"true"}',
  cut: '{"success":true',
  long: `{"success":true,"padding":"${'x'.repeat(limits.captchaAnswerBytes)}"}`,
};

interface Provider {
  readonly url: string;
  readonly forms: string[];
}

export async function startProvider(t: TestContext): Promise<Provider> {
  const forms: string[] = [];
  const server = createServer(async (req, res) => {
    const form = await text(req);
    forms.push(form);
    const token = new URLSearchParams(form).get('response') ?? '';
    if (token === 'silent') return;
    if (token === 'redirect') res.writeHead(302, { Location: '/' });
    res.end(responseOfToken[token] ?? (/^x+$/.test(token) ? responseOfToken.good : 'no JSON'));
  });
  return { url: `http://127.0.0.1:${await listen(t, server)}/verify?v=1`, forms };
}

export const captcha = { provider: 'turnstile', siteKey: 'site"key', title: 'Check <1>' } as const;

const solvablePolicy = (verifyUrl: string) =>
  ({
    secret: 'a secret of the tests',
    response: { mode: 'captcha', captcha: { ...captcha, secretKey: 'key&1', verifyUrl } },
  }) as const;

// `/visit/` blocks unless a pass excuses the rule. The other location receives solutions.
const locations = `
    location /visit/ {
      rewrite_by_lua_block {
        local name = ngx.var.arg_policy
        local blocked = { reason = "block_pattern_match", rule = ngx.var.arg_rule, pattern = "^/", client = "192.0.2.7" }
        if captchas[name]:excuses(blocked.client, blocked.rule, blocked.pattern) then
          ngx.exit(ngx.HTTP_NO_CONTENT)
        end
        answers[name](blocked)
      }
    }
    location /.guard/captcha {
      rewrite_by_lua_block {
        local captcha = captchas[ngx.var.arg_policy]
        ngx.header["X-Serves"] = tostring(captcha:serves(ngx.var.request_uri))
        captcha:serve("192.0.2.7")
      }
    }`;

export interface Site {
  readonly nginx: Nginx;
  readonly provider: Provider;
}

export async function startSite(t: TestContext): Promise<Site> {
  const provider = await startProvider(t);
  const policies = {
    page: { response: { mode: 'captcha', captcha } },
    on: solvablePolicy(provider.url),
    dead: solvablePolicy(`http://127.0.0.1:${await freePort()}/`),
    named: solvablePolicy('http://provider.example/'),
    tls: solvablePolicy(provider.url.replace('http:', 'https:')),
  } as const;
  return { nginx: await startNginx(t, { policies, locations }), provider };
}

async function sendOne({ nginx }: Site, method: string, raw: string): Promise<Answer> {
  return answersIn(await exchangeBytes(nginx.port, raw), method)[0] ?? assert.fail('no answer');
}

/** Sends a request that is blocked unless the cookie excuses the rule. */
export async function visit(site: Site, policy: string, cookie = '', rule = 'env-file'): Promise<Answer> {
  const headers = [...(cookie ? [`Cookie: ${cookie}`] : []), 'Connection: close'];
  return await sendOne(site, 'GET', request('GET', `/visit//x?policy=${policy}&rule=${rule}`, ...headers));
}

export const formRequest = (method: string, policy: string, body: string, ...headers: string[]): string =>
  request(method, `${captchaNames.path}?policy=${policy}`, `Content-Length: ${body.length}`, ...headers) + body;

/** Sends a form in chunks, without a Content-Length. */
export async function postInChunks(
  site: Site,
  policy: string,
  form: Readonly<Record<string, string>>,
): Promise<Answer> {
  const body = new URLSearchParams(form).toString();
  const head = request(
    'POST',
    `${captchaNames.path}?policy=${policy}`,
    'Transfer-Encoding: chunked',
    'Connection: close',
  );
  return await sendOne(site, 'POST', `${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
}

export async function post(site: Site, policy: string, form: Readonly<Record<string, string>>): Promise<Answer> {
  const body = new URLSearchParams(form).toString();
  return await sendOne(site, 'POST', formRequest('POST', policy, body, 'Connection: close'));
}

export const stateOf = (page: string): string => /name="state" value="([^"]*)"/.exec(page)?.[1] ?? '';

export async function formWith(site: Site, policy: string, token: string): Promise<Record<string, string>> {
  return { state: stateOf((await visit(site, policy)).body), 'cf-turnstile-response': token };
}
