import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createOptions } from '../../../containers/docker-options.ts';
import { Policy } from '../../../contract/policy/schema.ts';
import { packageRoot } from '../../../platform/assets.ts';
import { quote } from '../../program/quote.ts';
import { caddy } from '../targets/caddy.ts';
import { dryRun } from './dry-run.ts';
import { type PlanInput, planSandbox } from './plan.ts';

const made = {
  tag: 'localhost/request-guard/caddy:abc',
  dockerfile: '/package/sandbox-images/caddy/Dockerfile',
  artefacts: ['/cache dir/caddy-1', '/cache dir/runner-2'],
  sources: [],
  arguments: { CADDY: 'caddy-1', RUNNER: 'runner-2' },
};

const plan = (changes: Partial<PlanInput> = {}, file: object = {}) =>
  planSandbox({
    ...{ target: caddy, image: made.tag, session: 's1', ipv6: true, isolated: false, detach: true },
    ...{ stubs: false, passed: {} },
    sites: [{ policy: Policy.parse(file), hostPort: 8080 }],
    ...changes,
  });

const script = (changes: Partial<PlanInput> = {}, file: object = {}) => dryRun(plan(changes, file), made);

/** The commands of the script, each as the list of words that a shell parses. */
function commands(text: string): string[][] {
  const spy =
    'say() { printf "%s\\0" "$@"; printf "\\n\\0"; }; docker() { say docker "$@"; }; tar() { say tar "$@"; }\n';
  const output = execFileSync('sh', {
    input: `${spy}${text}
`,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return output.split('\n\0').flatMap((line) => (line === '' ? [] : [line.split('\0').slice(0, -1)]));
}

test('quotes hostile words for the shell', () => {
  for (const word of ["a'b", '$(x)', '`x`', 'a b', '', '*', '~', 'a\nb', '-x']) {
    assert.equal(execFileSync('sh', ['-c', `printf %s ${quote(word)}`], { encoding: 'utf8' }), word);
  }
});

test('starts the container with the same options as the container runtime API', async () => {
  const text = await script();
  const run = commands(text).at(-1) ?? [];
  assert.deepEqual(run.slice(0, 6), ['docker', 'run', '-d', '--rm', '--name', 'request-guard-caddy-s1']);
  const { HostConfig } = createOptions(plan().sandbox.spec);
  const values = [
    ...HostConfig.CapDrop.map((name) => ['--cap-drop', name]),
    ...HostConfig.SecurityOpt.map((name) => ['--security-opt', name]),
    ...Object.entries(HostConfig.Tmpfs).map(([path, options]) => ['--tmpfs', `${path}:${options}`]),
    ...Object.entries(HostConfig.LogConfig.Config).map(([name, value]) => ['--log-opt', `${name}=${value}`]),
    ['--log-driver', HostConfig.LogConfig.Type],
    ['--memory', String(HostConfig.Memory)],
    ['--memory-swap', String(HostConfig.MemorySwap)],
    ['--pids-limit', String(HostConfig.PidsLimit)],
    ['--ipc', HostConfig.IpcMode],
    ['--publish', '127.0.0.1:8080:8080'],
    ['--publish', '[::1]:8080:8080'],
    ['--label', 'request-guard.sandbox=s1'],
  ];
  for (const [option, value] of values) {
    const found = run.some((word, index) => word === option && run[index + 1] === value);
    assert.ok(found, `${option} ${value}`);
  }
  assert.ok(run.includes('--read-only'));
  assert.equal(run.at(-1), made.tag);
});

test('prints the configuration as comments and a command that builds a missing image', async () => {
  const text = await script({}, { blockPatterns: ["^/it's`[{$]HOME"] });
  const lines = text.split('\n');
  assert.ok(lines.slice(0, -2).every((line) => line.startsWith('#')));
  assert.ok(lines.some((line) => line.startsWith('# ') && line.includes('block_patterns')));
  assert.match(
    lines.at(-2) ?? '',
    /^docker image inspect \S+ >\/dev\/null 2>&1 \|\| tar -cf - -C \/package.* \| docker build -t /,
  );
  assert.match(lines.at(-2) ?? '', /-C '\/cache dir' caddy-1 -C '\/cache dir' runner-2/);
});

test('builds the stage of the image that the session builds', async () => {
  const text = await dryRun(plan(), { ...made, stage: 'proxy' });
  assert.match(text, /\| docker build -t \S+ --target proxy /);
});

test('adds the verbatim files of the image from the package', async () => {
  const text = await dryRun(plan(), {
    ...made,
    sources: [{ root: packageRoot, paths: ['module/go.mod', 'module/a b.go'] }],
  });
  const tar = commands(text.replace(/^docker image inspect .*? \|\| (tar .*?) \| .*$/m, '$1')).at(-2) ?? [];
  assert.deepEqual(tar.slice(-4), ['-C', packageRoot, 'module/go.mod', 'module/a b.go']);
});

test('pipes a large configuration to the container', async () => {
  const blockPatterns = Array.from({ length: 1000 }, () => `^/${randomBytes(120).toString('hex')}`);
  const text = await script({}, { blockPatterns });
  assert.match(text, /\nbase64 -d <<'GUARD' \| docker run -i --rm /);
  assert.match(text, /\nGUARD$/);
  assert.ok(commands(text).at(-1)?.includes('-i'));
});

test('does not print values of the user’s variables', async () => {
  const secret = 'do-not-print-this-one';
  const text = await script({ passed: { GUARD_SECRET: secret } }, { secret: '${GUARD_SECRET}' });
  assert.ok(!text.includes(secret));
  assert.match(text, / --env GUARD_SECRET /);
});

test('prints made-up values, which no shell has', async () => {
  assert.match(await script({}, { secret: '${GUARD_SECRET}' }), / --env GUARD_SECRET=made-up-for-the-sandbox /);
});

test('prints a network, the sandbox, and a gate in both networks for an isolated sandbox', async () => {
  const names = commands(await script({ isolated: true })).map((words) => words.slice(0, 3).join(' '));
  assert.deepEqual(names, [
    'docker network create',
    'docker run -d',
    'docker create --rm',
    'docker network connect',
    'docker start request-guard-gate-s1',
  ]);
});
