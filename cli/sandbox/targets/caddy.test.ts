import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Policy } from '../../../contract/policy/schema.ts';
import { generateCaddy } from '../../generate/caddy.ts';
import { caddy } from './caddy.ts';

describe('Caddyfile of a sandbox', () => {
  it('contains the guard of each policy verbatim, because a line of a quoted text must not be indented', () => {
    const policies = ['a\nb\u2028c', '\tx\n\n  y\rz\n'].map((body) =>
      Policy.parse({ response: { mode: 'html', body } }),
    );
    const [caddyfile] = caddy.configure({
      sites: policies.map((policy, index) => ({ policy, port: 8080 + index })),
      backend: 'http://127.0.0.1:9000',
      ready: '127.0.0.1:9001',
      echo: '127.0.0.1:9000',
    });
    const text = caddyfile?.text ?? '';
    for (const policy of policies) assert.ok(text.includes(`\n${generateCaddy(policy)}`), text);
  });
});
