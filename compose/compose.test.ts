import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import type { CommandOptions } from '../platform/command.ts';
import { ExternalError } from '../platform/errors.ts';
import { composeWith } from './compose.ts';
import { tools } from './tools.ts';

const project = { name: 'p', file: '/srv/a b/compose.yaml', variables: { GUARD_LOKI_PORT: '3100' }, secret: 's3cret' };

interface Call {
  readonly line: string;
  readonly options: CommandOptions | undefined;
}

function recorder(printed = '') {
  const calls: Call[] = [];
  const run = async (program: string, args: readonly string[], options?: CommandOptions): Promise<string> => {
    calls.push({ line: [program, ...args].join(' '), options });
    return printed;
  };
  return { calls, run };
}

const failing = (output: string) => async (): Promise<string> => {
  throw new ExternalError('docker compose ended with status 1', {
    code: 'command_failed',
    failed: { tool: 'docker', output },
  });
};

describe('the secret of a project', () => {
  it('is not in what the tool and the services print', async () => {
    const { run } = recorder('Post "http://loki:3100/s3cret/otlp/v1/logs": EOF');
    const compose = (how: typeof run) => composeWith({ tool: tools[0], version: '5.5.1' }, project, how);
    assert.equal(await compose(run).logs('collector'), 'Post "http://loki:3100/***/otlp/v1/logs": EOF');
    await assert.rejects(compose(failing('podman create -e GUARD_SECRET=s3cret')).up(['loki']), (error) => {
      assert.ok(error instanceof ExternalError);
      assert.equal(error.failed.output, 'podman create -e GUARD_SECRET=***');
      return !inspect(error).includes('s3cret');
    });
  });

  it('is not in the lines of progress', async () => {
    const lines: string[] = [];
    const run = async (_program: string, _words: readonly string[], options?: CommandOptions): Promise<string> => {
      options?.onText?.('podman create -e GUARD_SECRET=s3cret\n', 'stdout');
      return '';
    };
    await composeWith({ tool: tools[0], version: '5.5.1' }, project, run).up(['loki'], {
      onLine: (line) => lines.push(line),
    });
    assert.deepEqual(lines, ['podman create -e GUARD_SECRET=***']);
  });
});

describe('the secret of a project in pieces of the output', () => {
  const printed = async (...pieces: readonly (readonly [string, 'stdout' | 'stderr'])[]): Promise<string> => {
    const lines: string[] = [];
    const run = async (_program: string, _words: readonly string[], options?: CommandOptions): Promise<string> => {
      for (const piece of pieces) options?.onText?.(...piece);
      return '';
    };
    await composeWith({ tool: tools[0], version: '5.5.1' }, project, run).up([], {
      onLine: (line) => lines.push(line),
    });
    return lines.join('|');
  };

  it('is hidden at every split', async () => {
    const text = 'GUARD_SECRET=s3cret ends';
    for (let at = 1; at < text.length; at += 1) {
      const said = await printed([text.slice(0, at), 'stdout'], [text.slice(at), 'stdout']);
      assert.equal(said.replace(/[| ]/g, ''), 'GUARD_SECRET=***ends', `split at ${at}`);
    }
    assert.equal(await printed(...Array.from('s3cret', (letter) => [letter, 'stderr'] as const)), '***');
  });

  it('is hidden when the other stream prints in between', async () => {
    assert.equal(await printed(['s3c', 'stdout'], ['other\n', 'stderr'], ['ret', 'stdout']), 'other|***');
  });

  it('does not keep back an end that only looks like its beginning', async () => {
    assert.equal(await printed(['waits', 'stdout']), 'wait|s');
  });
});

describe('a compose project', () => {
  it('is named in every call, with its file and its variables', async () => {
    const { calls, run } = recorder();
    const compose = composeWith({ tool: tools[0], version: '5.5.1' }, project, run);
    await compose.pull('loki');
    await compose.up(['loki', 'collector']);
    await compose.down(true);
    await compose.down(false);
    const before = 'docker compose --file /srv/a b/compose.yaml --project-name p';
    assert.deepEqual(
      calls.map(({ line }) => line),
      [
        `${before} pull loki`,
        `${before} up --detach --remove-orphans loki collector`,
        `${before} down --remove-orphans --volumes`,
        `${before} down --remove-orphans`,
      ],
    );
    for (const { options } of calls) assert.deepEqual([options?.cwd, options?.env], ['/srv/a b', project.variables]);
  });

  it('is listed by podman-compose with the options that it has', async () => {
    const { calls, run } = recorder('[]');
    assert.deepEqual(await composeWith({ tool: tools[2], version: '1.5.0' }, project, run).containers(), []);
    assert.match(calls[0]?.line ?? '', /^podman-compose .* ps --format json$/);
  });

  for (const [output, code] of [
    ['Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?', 'no_runtime'],
    ['failed to connect to the docker API at unix:///nowhere; check if the path is correct', 'no_runtime'],
    ['Cannot connect to Podman. Please verify your connection to the Linux system', 'no_runtime'],
    [
      'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock',
      'runtime_denied',
    ],
    ['Error starting userland proxy: listen tcp4 127.0.0.1:3100: bind: address already in use', 'port_in_use'],
    ['write /var/lib/docker/tmp/GetImageBlob1: no space left on device', 'disk_full'],
    ['something else', 'command_failed'],
  ] as const)
    it(`explains ${JSON.stringify(output)} as ${code}`, async () => {
      const compose = composeWith({ tool: tools[0], version: '5.5.1' }, project, failing(output));
      await assert.rejects(
        compose.up([]),
        (error: ExternalError) => error.code === code && error.failed.output === output,
      );
    });

  it('passes on each line of progress', async () => {
    const lines: string[] = [];
    const run = async (_: string, __: readonly string[], options?: CommandOptions): Promise<string> => {
      options?.onText?.(' Image a Pulling \n\n Image b', 'stderr');
      options?.onText?.(' Pulled\n', 'stderr');
      return '';
    };
    await composeWith({ tool: tools[0], version: '5.5.1' }, project, run).pull('a', {
      onLine: (line) => lines.push(line),
    });
    assert.deepEqual(lines, ['Image a Pulling', 'Image b', 'Pulled']);
  });
});
