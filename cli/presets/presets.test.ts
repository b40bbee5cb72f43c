/** `guardcli presets` against a server on this machine. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { presetOf, setPresets } from '../../contract/values/presets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { runCaptured } from '../testing/captured.ts';
import { providers } from './providers.ts';

const now = Date.UTC(2026, 11, 24);
const current = (name: string) => presetOf(name)?.networks ?? [];

const documents: Readonly<Record<string, string>> = {
  cloudflare: [...current('cloudflare'), '192.0.2.0/24'].join('\n'),
  fastly: JSON.stringify({ addresses: current('fastly'), ipv6_addresses: [] }),
  cloudfront: JSON.stringify({
    prefixes: [
      ...current('cloudfront').map((ip_prefix) => ({ ip_prefix, service: 'CLOUDFRONT_ORIGIN_FACING' })),
      { ip_prefix: '203.0.113.0/24', service: 'EC2' },
    ],
    ipv6_prefixes: [{ ipv6_prefix: '2001:db8::/32', service: 'CLOUDFRONT_ORIGIN_FACING' }],
  }),
  bunny: [...current('bunny'), '198.51.100.7'].join('\n'),
  'azure-front-door': JSON.stringify({
    values: [
      {
        name: 'AzureFrontDoor.Backend',
        properties: { addressPrefixes: [...current('azure-front-door'), '198.51.100.0/25'] },
      },
    ],
  }),
};

/** Runs `presets update` with documents of a server on this machine. */
async function updating(t: TestContext, changed: Readonly<Record<string, string>> = {}) {
  const dir = scratchFolder('guard-presets-');
  const served = { ...documents, ...changed };
  const held: (() => void)[] = [];
  let together = 1;
  const server = createServer(({ url = '' }, response) => {
    held.push(() => response.end(served[url.slice(1)]));
    if (held.length >= together) for (const respond of held.splice(0)) respond();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  t.after(() => {
    server.close();
    setPresets([]);
  });
  const from = Object.keys(documents).map((name) => `${name}=http://127.0.0.1:${port}/${name}`);
  const update = () => runCaptured(['presets', 'update', '--from', ...from], { cwd: dir, now });
  /** Responds when there are this many requests. */
  const hold = (requests: number) => {
    together = requests;
  };
  return { dir, update, hold, file: join(dir, 'guard-presets.json') };
}

test('each provider has a preset', () => {
  for (const { name } of providers) assert.ok(presetOf(name)?.isEdge, name);
  assert.deepEqual(
    Object.keys(documents),
    providers.map(({ name }) => name),
  );
});

test('writes newer networks, which guardcli then reads, and generate writes out', async (t) => {
  const { dir, update, file } = await updating(t);
  const { status, stdout } = await update();
  assert.deepEqual(
    [status, stdout],
    [
      0,
      'cloudflare: 23 networks\nfastly: 21 networks\ncloudfront: 49 networks\nbunny: 761 networks\nazure-front-door: 214 networks\n',
    ],
  );
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).presets[0].date, '2026-12-24');
  writeFileSync(join(dir, 'guard.json'), '{"trustedProxies": ["azure-front-door", "google-lb"]}');
  const { stdout: generated } = await runCaptured(['generate', 'caddy'], { cwd: dir });
  assert.match(generated, /198\.51\.100\.0\/25/);
  assert.match(generated, /google-lb/);
  const listed = await runCaptured(['presets'], { cwd: dir });
  assert.match(listed.stdout, /bunny +761 +2026-12-24/);
});

test('asks all providers at once, so that one that does not respond delays none', async (t) => {
  const { update, hold } = await updating(t);
  hold(Object.keys(documents).length);
  const { status, stdout } = await update();
  assert.equal(status, 0);
  assert.doesNotMatch(stdout, /stays/);
});

test('leaves no unfinished file where the file cannot be replaced', async (t) => {
  const { dir, update, file } = await updating(t);
  mkdirSync(file);
  const { status, stderr } = await update();
  assert.equal(status, 2);
  assert.match(stderr, /cannot write .*guard-presets\.json: it is a folder/);
  assert.deepEqual(readdirSync(dir), ['guard-presets.json']);
});

const refused: Readonly<Record<string, readonly [document: string, message: RegExp]>> = {
  HTML: ['<html><body>Just a moment...</body></html>', /not a list of networks/],
  'an empty document': ['', /no networks/],
  'a wide network': [`${documents.cloudflare}\n64.0.0.0/4`, /64\.0\.0\.0\/4 is wider than \/8/],
  'a wide IPv6 network': [`${documents.cloudflare}\n2400::/12`, /2400::\/12 is wider/],
  'all addresses': ['0.0.0.0/0', /is wider/],
  'more networks than readers of the file accept': [
    Array.from({ length: 20_000 }, (_, index) => `192.0.${index >> 8}.${index & 255}/32`).join('\n'),
    /it has 20000 networks, more than 10000/,
  ],
  'less than half': ['173.245.48.0/20', /lacks 21 of 22/],
  half: [current('cloudflare').slice(0, 11).join('\n'), /lacks 11 of 22/],
};

for (const [name, [document, message]] of Object.entries(refused))
  test(`keeps the networks of a provider that sends ${name}`, async (t) => {
    const { update, file } = await updating(t, { cloudflare: document });
    const { status, stdout } = await update();
    assert.equal(status, 0);
    assert.match(stdout, new RegExp(`^cloudflare: stays at 22: .*${message.source}`));
    assert.doesNotMatch(readFileSync(file, 'utf8'), /"cloudflare"/);
  });

test('writes nothing when no provider responds, and ignores a damaged file', async (t) => {
  const none = Object.fromEntries(Object.keys(documents).map((name) => [name, 'x']));
  const { update, file, dir } = await updating(t, none);
  assert.equal((await update()).status, 3);
  assert.equal(existsSync(file), false);
  writeFileSync(
    file,
    '{"version": 1, "presets": [{"name": "cloudflare", "date": "2027-01-01", "source": "", "networks": ["0.0.0.0/0"]}]}',
  );
  const { stdout, stderr } = await runCaptured(['presets'], { cwd: dir });
  assert.match(stdout, /cloudflare +22 +2026-08-11/);
  assert.match(stderr, /is not used/);
});

/** Documents of many networks: each is accepted, and together they exceed the file. */
const many = (name: string): string => {
  const more = Array.from(
    { length: 9000 },
    (_, index) => `2001:db8:${index.toString(16)}:ffff:ffff:ffff:ffff:ffff/128`,
  );
  return JSON.stringify([...current(name), ...more]);
};

test('writes no file that its readers refuse', async (t) => {
  const { update, dir } = await updating(t, {
    fastly: `{"addresses": ${many('fastly')}, "ipv6_addresses": []}`,
    cloudflare: (JSON.parse(many('cloudflare')) as string[]).join('\n'),
    bunny: (JSON.parse(many('bunny')) as string[]).join('\n'),
  });
  const { stdout } = await update();
  assert.match(stdout, /^bunny: stays at 760: with it, the file has \d+ bytes, more than 1048576$/m);
  const { stdout: listed, stderr } = await runCaptured(['presets'], { cwd: dir });
  assert.match(listed, /fastly +9021 +2026-12-24/);
  assert.equal(stderr, '');
});

test('waits for no pipe in place of the file', async (t) => {
  const { update, file } = await updating(t);
  assert.equal(spawnSync('mkfifo', [file]).status, 0);
  assert.equal((await update()).status, 0);
  assert.ok(statSync(file).isFile());
});

test('says nothing of the content of a file that is not JSON, which can be that of another program', async () => {
  const dir = scratchFolder('guard-presets-');
  writeFileSync(join(dir, 'guard-presets.json'), 'root:$6$secret\u001b[2J');
  const { stderr } = await runCaptured(['presets'], { cwd: dir });
  assert.match(stderr, /guard-presets\.json is not used: it is not JSON\. Run guardcli presets update again/);
});

test('refuses a source without https', async () => {
  const { status, stderr } = await runCaptured(['presets', 'update', '--from', 'cloudflare=http://192.0.2.1/']);
  assert.equal(status, 2);
  assert.match(stderr, /--from is/);
});
