import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectorConfiguration } from './collector.ts';

const condition = (member: string, values = 'old'): string => `IsMatch(cache["${member}"], "^(?:${values})$")`;
const members = ['gateway', 'mode', 'action', 'service', 'protocol'];

test('sets the known values in every condition of the collector', () => {
  const written = collectorConfiguration([...members, 'gateway'].map((member) => condition(member)).join('\n'));
  assert.equal(written.split(condition('gateway', 'caddy|traefik|nginx')).length, 3);
  assert.ok(written.includes(condition('mode', 'enforce|detect')));
  assert.ok(!written.includes('old'));
});

test('refuses a configuration without a condition, or with one on another member', () => {
  const text = members.map((member) => condition(member)).join('\n');
  assert.throws(() => collectorConfiguration(text.replace(condition('mode'), '')), /has no condition on mode/);
  assert.throws(() => collectorConfiguration(`${text} ${condition('path')}`), /there are no known values of "path"/);
});
