import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Scope, substitute } from './substitute.ts';

const variables = [
  { name: 'gateway', initial: '.*', isPattern: true },
  { name: 'address', initial: '.*', isPattern: false },
];
const scope = (chosen: Scope['chosen'] = {}): Scope => ({
  ...{ rangeMs: 3_600_000, stepMs: 1500, isInstant: false, variables, chosen },
});

describe('built-in variables', () => {
  it('are the range and the step', () => {
    assert.equal(substitute('[$__range] [$__auto] [${__interval}]', scope()), '[3600s] [1500ms] [1500ms]');
  });
  it('are the range for a query that is evaluated once', () => {
    assert.equal(substitute('[$__auto]', { ...scope(), isInstant: true }), '[3600s]');
  });
});

describe('variables', () => {
  it('have their initial value, a pattern, until one is chosen', () => {
    const query = '{gateway=~"$gateway"} | client_ip=~`[[address]]`';
    assert.equal(substitute(query, scope()), '{gateway=~".*"} | client_ip=~`.*`');
    assert.equal(substitute(query, scope({ gateway: 'a.b' })), '{gateway=~"a\\\\.b"} | client_ip=~`.*`');
  });
  it('that are unknown remain', () => assert.equal(substitute('$other `$x`', scope()), '$other `$x`'));
});

describe('a value', () => {
  it('cannot end the string that it is in', () => {
    const hostile = 'x"} or {a="`b`\n\\';
    const quoted = substitute('{a="$address"}', scope({ address: hostile }));
    assert.equal(quoted, '{a="x\\"} or {a=\\"`b` \\\\"}');
    assert.equal(substitute('a=~`$address`', scope({ address: hostile })).split('`').length, 3);
  });
  it('is not replaced again', () => {
    assert.equal(substitute('"$address"', scope({ address: '$gateway' })), '"$gateway"');
  });
  it('outside of quotes is refused, unless it is a word', () => {
    assert.equal(substitute('topk($address, x)', scope({ address: '5' })), 'topk(5, x)');
    assert.throws(() => substitute('topk($address, x)', scope({ address: '5, y)' })), { code: 'bad_value' });
  });
});
