import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseLogPattern } from './pattern.ts';

const sshd = '^Failed password for (?:invalid user )?<user> from <address> port \\d+ ssh2$';

describe('a pattern of a log', () => {
  it('has a group for each mark', () => {
    const result = parseLogPattern(sshd);
    assert.ok(result.ok, JSON.stringify(result));
    assert.deepEqual(result.pattern.groups, { address: 2, user: 1 });
    const swapped = parseLogPattern('^<address> failed for <user>$');
    assert.ok(swapped.ok, JSON.stringify(swapped));
    assert.deepEqual(swapped.pattern.groups, { address: 1, user: 2 });
  });

  const refusedPatterns = [
    { text: 'from <address>$', reason: /from \^ to \$/ },
    { text: '^from <address> port', reason: /from \^ to \$/ },
    { text: '^from <address> port\\$', reason: /from \^ to \$/ },
    { text: '^no address$', reason: /<address> once/ },
    { text: '^<address> <address>$', reason: /<address> once/ },
    { text: '^<user> <user> <address>$', reason: /at most once/ },
    { text: '^.*<address:[0-9.]+>.*$', reason: /<address> once/ },
    { text: '^<attempts> of <attempts> <address>$', reason: /at most once/ },
    { text: '^user=<user> (?:, <attempts> attempts)?: <address>$', reason: /each side/ },
    // The client writes the name, and so another number.
    { text: '^<address>: user=.*, <attempts> attempts.*$', reason: /one place/ },
    { text: '^(a|b) <address>$', reason: /\(\?:/ },
    { text: '^(?:a <address>|b)$', reason: /each side/ },
    { text: '^(?=a)<address>$', reason: /each side/ },
    // The client writes the name, and so another ` from 192.0.2.66 port 1`.
    { text: '^Failed password for <user> from <address> port .*$', reason: /one place/ },
    { text: '^Failed password for <user> from <address>.*$', reason: /one place/ },
    { text: '^host=<user> client=<address> agent=.*$', reason: /one place/ },
    { text: '^.*<address>.*$', reason: /one place/ },
    { text: '^[0-9]{1,4}<address>$', reason: /one place/ },
    { text: '^<user> rhost=<address>  user=[^ ]* rhost=[0-9.]+  user=.*$', reason: /one place/ },
  ];
  for (const { text, reason } of refusedPatterns)
    it(`is refused: ${text}`, () => {
      const result = parseLogPattern(text);
      assert.ok(!result.ok);
      assert.match(result.reason, reason);
    });

  it('has the form of a user that the server limits', () => {
    const result = parseLogPattern('^user="<user:(?:[^"\\\\]|\\\\.)*>" ip=<address> agent=".*"$');
    assert.ok(result.ok, JSON.stringify(result));
    assert.deepEqual(result.pattern.groups, { address: 2, user: 1 });
    assert.match(result.pattern.source, /^\^user="\(\(\?:\[\^"/);
    assert.ok(!parseLogPattern('^user="<user>" ip=<address> agent=".*"$').ok);
    assert.ok(!parseLogPattern('^<user:[^ ]*> <user> <address>$').ok);
  });

  it('has the number of attempts where only the server writes', () => {
    const result = parseLogPattern('^auth failed, <attempts> attempts: user=<user>, rip=<address>$');
    assert.ok(result.ok, JSON.stringify(result));
    assert.deepEqual(result.pattern.groups, { attempts: 1, user: 2, address: 3 });
  });

  const acceptedPatterns = [
    sshd,
    '^<address> agent=.*$',
    '^login failed, user=<user>, rip=<address>, lip=[0-9a-f.:]+$',
    '^ruser=[^ ]* rhost=<address>(?:  user=<user>)?$',
    '^unknown\\[<address>\\]: <user>$',
    '^[0-9]{4}<address>$',
  ];
  for (const text of acceptedPatterns)
    it(`is accepted: ${text}`, () => {
      const result = parseLogPattern(text);
      assert.ok(result.ok, JSON.stringify(result));
    });
});
