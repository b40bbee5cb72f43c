/**
 * Compares verdicts for generated requests: `npm run parity -- --count 1000000 --seed 1`. Every tenth request goes over
 * the wire to each proxy, every hundredth over HTTP/2 and HTTP/3 to each release. Prints minimized differences.
 * `--count 0 --bans 10000` only sends requests about ban lists.
 */
import { join } from 'node:path';
import process from 'node:process';
import type { TestContext } from 'node:test';
import { parseArgs } from 'node:util';
import { proxyNamed } from '../../../cli/targets/find.ts';
import { proxies as known, type ProxyTarget } from '../../../cli/targets/table.ts';
import { wholeNumber } from '../../../conformance/differential/arguments.ts';
import { banPolicies, banStream, generatedBans } from '../../../conformance/differential/bans.ts';
import { hasNoAmbiguousRepetition } from '../../../conformance/differential/engines.ts';
import { policies } from '../../../conformance/differential/policies.ts';
import { fromBase64, type Question } from '../../../conformance/differential/protocol.ts';
import { createRandom } from '../../../conformance/differential/random.ts';
import { Policy } from '../../../contract/policy/schema.ts';
import { packageRoot } from '../../../platform/assets.ts';
import { command } from '../../../platform/command.ts';
import { startClient } from '../http-versions/client.ts';
import { isTls, withVersions } from '../http-versions/sandbox.ts';
import { refuses, type Served, serve } from '../policies.ts';
import { type Release, releases } from '../releases.ts';
import { wireStream } from './questions.ts';
import { compareOnWire } from './wire.ts';

/** `lua-pcre` has the regex library of Debian's nginx. `npm run differential` also compares the newer one. */
const comparedEngines = ['go', 'lua-pcre'];
const wireDivisor = 10;
const versionsDivisor = 100;
/** Random policies in a container. Each policy is a site with a port. */
const randomPolicyCount = 7;

async function compareEngines(count: number, seed: number): Promise<boolean> {
  const script = join(packageRoot, 'conformance/differential/compare.ts');
  const named = comparedEngines.flatMap((engine) => ['--engine', engine]);
  const args = [script, '--together', ...named, '--count', String(count), '--seed', String(seed)];
  const onText = (text: string): void => void process.stdout.write(text);
  return command(process.execPath, args, { cwd: packageRoot, onText }).then(
    () => true,
    () => false,
  );
}

function wirePolicies(seed: number, target: ProxyTarget): Policy[] {
  return policies(createRandom(seed), randomPolicyCount, '/nowhere/bans')
    .filter(hasNoAmbiguousRepetition)
    .map((policy) => Policy.parse(policy))
    .map((policy) => (refuses(target, policy) ? { ...policy, exploits: 'paths' } : policy));
}

type After = Pick<TestContext, 'after'>;

async function withCleanup<T>(work: (t: After) => Promise<T>): Promise<T> {
  const cleanups: (() => unknown)[] = [];
  try {
    return await work({ after: (clean) => void cleanups.push(clean as () => unknown) });
  } finally {
    for (const clean of cleanups) await clean();
  }
}

async function compareSites(name: string, sites: readonly Served[], stream: readonly Question[]): Promise<boolean> {
  const { counts, shown } = await compareOnWire(stream, sites);
  for (const text of shown) process.stdout.write(`${text}\n`);
  const result = counts.different === 0 ? 'agree' : 'differ';
  process.stdout.write(`${name} and its host model ${result}: ${JSON.stringify(counts)}\n`);
  return counts.different === 0;
}

const compareProxy = (target: ProxyTarget, count: number, seed: number): Promise<boolean> =>
  withCleanup(async (t) => {
    const bans = generatedBans(createRandom(seed));
    const sites = await serve(t, target, wirePolicies(seed, target), { bans });
    return compareSites(target.name, sites, [...wireStream(seed, count, sites.length)]);
  });

/** Policies with a ban list in a container. */
const banPolicyCount = 12;

const compareBans = (target: ProxyTarget, count: number, seed: number): Promise<boolean> =>
  withCleanup(async (t) => {
    const list = banPolicies(createRandom(seed), banPolicyCount, '/nowhere/bans').map((policy) => Policy.parse(policy));
    const sites = await serve(t, target, list, { bans: generatedBans(createRandom(seed)) });
    return compareSites(`ban lists of ${target.name}`, sites, [...banStream(createRandom(seed), count, sites.length)]);
  });

/** Caddy (from 16 KiB) and nginx (from 27 KiB, measured) close the connection on longer headers. */
const longestField = 16 * 1024;
const isComparable = ({ h = [] }: Question): boolean =>
  h.every(([, value]) => fromBase64(value).length <= longestField);

const compareVersions = ({ target, transports }: Release, count: number, seed: number): Promise<boolean> =>
  withCleanup(async (t) => {
    const hasHttp3 = transports.includes('h3');
    const client = await startClient(t);
    const doubled = wirePolicies(seed, target).flatMap((policy) => [policy, policy]);
    const bans = { bans: generatedBans(createRandom(seed)) };
    const sites = (await serve(t, withVersions(target, { hasHttp3 }), doubled, bans)).filter((_, index) =>
      isTls(index),
    );
    const over = (version: '2' | '3'): Promise<boolean> => {
      const open = client(version === '3' ? 'h3' : 'h2');
      const others = sites.map((site) => site.over(version, open));
      const stream = [...wireStream(seed, count, others.length)].filter(isComparable);
      return compareSites(`${target.title} over HTTP/${version}`, others, stream);
    };
    return (await over('2')) && (!hasHttp3 || (await over('3')));
  });

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    /** Skips the engines, which `npm run differential` compares with the same questions. */
    wire: { type: 'boolean', default: false },
    proxy: { type: 'string', multiple: true, default: known.map(({ name }) => name) },
    /** Requests about ban lists to each proxy. */
    bans: { type: 'string', default: '1000' },
  },
});
const [count, seed] = [wholeNumber('count', values.count), wholeNumber('seed', values.seed)];
const banCount = wholeNumber('bans', values.bans);
const proxies = values.proxy.map((name) => {
  const target = proxyNamed(name);
  if (!target) throw new Error(`--proxy takes one of ${known.map((one) => one.name).join(', ')}`);
  return target;
});
/** All run at once: Traefik evaluates one long request at a time, and leaves processor time to the others. */
const results: boolean[] =
  count === 0
    ? []
    : await Promise.all([
        values.wire || compareEngines(count, seed),
        ...proxies.map((target) => compareProxy(target, Math.ceil(count / wireDivisor), seed)),
      ]);
results.push(...(await Promise.all(proxies.map((target) => compareBans(target, banCount, seed)))));
const tested = count === 0 ? [] : releases.filter(({ target }) => values.proxy.includes(target.name));
for (const release of tested) results.push(await compareVersions(release, Math.ceil(count / versionsDivisor), seed));
if (results.includes(false)) process.exitCode = 1;
