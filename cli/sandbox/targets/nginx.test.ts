import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Policy } from '../../../contract/policy/schema.ts';
import { readConfig } from '../../validate/nginx/config.ts';
import { validateNginx } from '../../validate/nginx/validate.ts';
import { nginx } from './nginx.ts';

const addresses = { ready: '127.0.0.1:9001', echo: '127.0.0.1:9000' };

function configured(backend: string, ...policies: Policy[]): string {
  const sites = policies.map((policy, index) => ({ policy, port: 8080 + index }));
  const [file, ...others] = nginx.configure({ sites, backend, ...addresses });
  assert.deepEqual([file?.name, others], ['nginx.conf', []]);
  return file?.text ?? '';
}

const captcha = { provider: 'turnstile', siteKey: 'x', secretKey: '${KEY}' } as const;

describe('nginx.conf of a sandbox', () => {
  it('has a server and a named policy for each site, and only the readiness listener bypasses the guard', () => {
    const text = configured(
      'http://127.0.0.1:9000',
      Policy.parse({}),
      Policy.parse({ response: { mode: 'tarpit', body: '"} ]] {' } }),
    );
    assert.match(text, /\}, "8081"\)/);
    const { problems, warnings } = validateNginx(text);
    assert.deepEqual(
      [...problems, ...warnings].map(({ kind, path }) => [kind, path]),
      [['not_inspected', 'server 127.0.0.1:9001']],
    );
    assert.equal(readConfig(text).servers.length, 3);
  });

  it('has every text of a policy on one line, which the indentation does not change', () => {
    const text = configured('http://127.0.0.1:9000', Policy.parse({ response: { body: 'a\nb\rc\u2028d"' } }));
    assert.ok(text.includes('body = "a\\010b\\013c\\226\\128\\168d\\""'), text);
  });

  it('declares the variables and the resolver that a policy needs', () => {
    const text = configured('http://127.0.0.1:9000', Policy.parse({ response: { mode: 'captcha', captcha } }));
    assert.match(text, /^env KEY;$/m);
    assert.match(text, /^ {4}include \/tmp\/resolver\.conf;$/m);
    assert.match(text, /^ {4}lua_ssl_trusted_certificate /m);
  });

  it('sends the Host of the client to the echo, and its own name to another backend, whose certificate it verifies', () => {
    const own = configured('https://backend.example', Policy.parse({}));
    assert.match(own, /proxy_pass https:\/\/backend\.example;\n.*\n *proxy_set_header Host \$proxy_host;/);
    assert.match(own, /proxy_ssl_verify on;/);
    assert.doesNotMatch(configured('http://127.0.0.1:9000', Policy.parse({})), /proxy_ssl|\$proxy_host/);
  });
});
