import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setPresets } from '../../contract/values/presets.ts';
import { start } from './testing/running-api.ts';

test('/why names the preset of an address, also after a reload has replaced its networks', async (t) => {
  t.after(() => setPresets([]));
  const { url } = await start(t);
  const presetWith = async (ip: string) => {
    const response = await fetch(`${url}/why?ip=${ip}`);
    return ((await response.json()) as { preset: unknown }).preset;
  };
  assert.equal(await presetWith('104.16.0.1'), 'cloudflare');
  assert.equal(await presetWith('2606:4700::1'), 'cloudflare');
  assert.equal(await presetWith('::1'), 'private');
  for (const ip of ['192.0.2.7', '104.16.0.0/24']) assert.equal(await presetWith(ip), null, ip);
  setPresets([{ name: 'cloudflare', date: '2100-01-01', source: '', networks: ['192.0.2.0/24'] }]);
  assert.equal(await presetWith('192.0.2.7'), 'cloudflare');
  assert.equal(await presetWith('104.16.0.1'), null);
});
