import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { networksOf } from '../values/address.ts';
import { allPresets, builtInPresets, expandPresets, presetOf, setPresets } from '../values/presets.ts';
import { isPresetNetwork } from './presets.ts';
import { oldPresets } from './warnings/presets.ts';

test('each preset has networks and a source, and its networks are within the bounds of updates', () => {
  for (const { name, networks, source, date, isEdge } of builtInPresets) {
    assert.ok(networks.length > 0 && source !== '', name);
    if (!isEdge) continue;
    assert.match(date, /^\d{4}-\d\d-\d\d$/, name);
    assert.deepEqual(
      networks.filter((network) => !isPresetNetwork(network) || !network.includes('/')),
      [],
    );
  }
});

test('docs/policy.md has each preset with its date', () => {
  const page = readFileSync(join(packageRoot, 'docs/policy.md'), 'utf8');
  for (const { name, date } of builtInPresets)
    assert.match(page, new RegExp(`^\\| \`${name}\` \\|.*\\| ${date}.*\\|$`, 'm'));
});

test('replaces names by networks, and keeps other texts', () => {
  assert.deepEqual(expandPresets(['192.0.2.1', 'google-lb', 'x']), [
    '192.0.2.1',
    '35.191.0.0/16',
    '130.211.0.0/22',
    'x',
  ]);
  assert.equal(networksOf(['google-lb', 'x']).length, 2);
});

test('uses newer networks of a preset, and neither older ones nor those of private networks', (t) => {
  t.after(() => setPresets([]));
  const row = { source: 'x', networks: ['192.0.2.0/24'] };
  setPresets([
    { ...row, name: 'bunny', date: '2026-12-01' },
    { ...row, name: 'fastly', date: '2020-01-01' },
    { ...row, name: 'private', date: '2027-01-01' },
    { ...row, name: 'other', date: '2027-01-01' },
  ]);
  assert.deepEqual(presetOf('bunny')?.networks, row.networks);
  for (const name of ['fastly', 'private'])
    assert.deepEqual(
      presetOf(name),
      builtInPresets.find((one) => one.name === name),
    );
  assert.equal(allPresets().length, builtInPresets.length);
});

test('warns of networks that are older than 180 days', (t) => {
  const lists = [[['x'], ['192.0.2.1', 'cloudflare', 'private']]] as const;
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 1) });
  assert.deepEqual([...oldPresets(lists)], []);
  t.mock.timers.setTime(Date.UTC(2027, 10, 1));
  const [warning, ...more] = [...oldPresets(lists)];
  assert.deepEqual([warning?.kind, warning?.path, more], ['old_preset', ['x', 1], []]);
});
