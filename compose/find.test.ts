import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ExternalError } from '../platform/errors.ts';
import { findTool, type Run } from './find.ts';
import { isOlder, parseVersion } from './tools.ts';

/** Output of `version --short` by tool. An absent tool is not on the machine. */
type Recording = Readonly<Record<string, string | Error>>;

const failure = (output: string): ExternalError =>
  new ExternalError('docker compose ended with status 1', {
    code: 'command_failed',
    failed: { tool: 'docker', output },
  });

/** Outputs of releases of Docker's client without the plugin. */
const withoutPlugin = [
  'docker: unknown command: docker compose',
  'unknown flag: --short',
  "docker: 'compose' is not a docker command.",
  "  pull        Pull an image\n\nRun 'docker COMMAND --help' for more information on a command.", // end of Docker 20.10's usage
];

const recorded =
  (recording: Recording): Run =>
  async (program, args) => {
    const name = [program, ...args.filter((word) => word === 'compose')].join(' ');
    const printed = recording[name];
    if (printed === undefined)
      throw new ExternalError(`${program} ${args[0]} cannot be started: it is not on this machine`, {
        code: 'command_failed',
        failed: { tool: program, output: '' },
      });
    if (printed instanceof Error) throw printed;
    return printed;
  };

const found = async (recording: Recording): Promise<string> => {
  const { tool, version } = await findTool({}, recorded(recording));
  return `${tool.name} ${version}`;
};

/** The error of Docker's client without the plugin. */
const noPlugin = failure("docker: unknown command: docker compose\n\nRun 'docker --help' for more information");
const broken = failure(
  'Traceback (most recent call last):\n  File "x.py", line 1\nModuleNotFoundError: No module named yaml',
);

describe('the compose tool', () => {
  for (const [name, recording, expected] of [
    [
      'is the plugin of Docker first',
      { 'docker compose': '2.40.3\n', 'docker-compose': '5.5.1\n' },
      'docker compose 2.40.3',
    ],
    [
      'is the separate program of Docker',
      { 'docker compose': noPlugin, 'docker-compose': 'v2.26.1-4\n' },
      'docker-compose 2.26.1',
    ],
    ['is the one for Podman', { 'podman-compose': '1.5.0\n' }, 'podman-compose 1.5.0'],
    ['is the one that Podman runs', { 'podman compose': '2.40.3\n' }, 'podman compose 2.40.3'],
    [
      'is a newer one where the first is too old',
      { 'docker-compose': '1.29.2\n', 'podman-compose': '1.1.0' },
      'podman-compose 1.1.0',
    ],
    ['may be a build without a version', { 'docker-compose': 'dev\n' }, 'docker-compose dev'],
  ] as const)
    it(name, async () => assert.equal(await found(recording), expected));

  for (const output of withoutPlugin)
    it(`lacks the plugin: ${output}`, async () => {
      const recording = { 'docker compose': failure(output) };
      await assert.rejects(found(recording), ({ failed }: ExternalError) =>
        /^docker compose: its plugin is not installed$/m.test(failed.output ?? ''),
      );
    });

  it('is missing: the error names each one that was tried, and why it cannot be used', async () => {
    const recording = { 'docker compose': noPlugin, 'docker-compose': '1.29.2', 'podman-compose': broken };
    await assert.rejects(found(recording), (error: ExternalError) => {
      assert.equal(error.code, 'no_compose');
      assert.equal(
        error.failed.output,
        [
          'docker compose: its plugin is not installed',
          'docker-compose: version 1.29.2 is too old: 2.3.3 is needed',
          'podman-compose: ModuleNotFoundError: No module named yaml',
          'podman compose: it is not on this machine',
        ].join('\n'),
      );
      assert.match(error.hint ?? '', /^install /);
      return true;
    });
  });

  it('is not looked for any longer after an interruption', async () => {
    const signal = AbortSignal.abort(new Error('stop'));
    await assert.rejects(findTool({ signal }), /stop/);
  });
});

it('a compose tool that does not respond is skipped', async () => {
  const silent: Run = (program, _, { signal } = {}) =>
    program === 'docker'
      ? new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
      : recorded({})(program, []);
  await assert.rejects(findTool({ withinMs: 1 }, silent), ({ failed }: ExternalError) =>
    /^docker compose: no response in 0\.001 s\ndocker-compose: it is not/.test(failed.output ?? ''),
  );
});

describe('a version', () => {
  for (const [printed, expected] of [
    ['5.5.1', [5, 5, 1]],
    ['v2.40', [2, 40, 0]],
    ['2.26.1-4+deb13u1\n', [2, 26, 1]],
    ['podman-compose version 1.0.3', [1, 0, 3]],
    ['using podman version: 5.8.6\n1.5.0\n', [1, 5, 0]],
    ['dev', undefined],
  ] as const)
    it(`is read from ${JSON.stringify(printed)}`, () => assert.deepEqual(parseVersion(printed), expected));

  it('is compared number by number', () => {
    assert.equal(isOlder([2, 3, 2], [2, 3, 3]), true);
    assert.equal(isOlder([2, 10, 0], [2, 3, 3]), false);
    assert.equal(isOlder([1, 29, 2], [2, 3, 3]), true);
    assert.equal(isOlder([2, 3, 3], [2, 3, 3]), false);
  });
});
