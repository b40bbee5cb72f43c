import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { findTool } from '../../compose/find.ts';
import { command } from '../../platform/command.ts';
import { freePorts } from '../../platform/free-ports.ts';
import { cacheRegistryAnswer, pinnedBase } from '../../sandbox-images/bases.ts';
import { runCaptured } from '../testing/captured.ts';
import { shippedFolder } from './files.ts';

/** Creates a home folder on a machine without a compose tool. */
function home(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'guard home-'));
  t.after(() => rmSync(root, { recursive: true }));
  const env = { HOME: root, PATH: join(root, 'bin'), XDG_CACHE_HOME: join(root, 'cache') };
  const run = (...argv: string[]) => runCaptured(['dashboard', ...argv], { env, cwd: root });
  return { root, run, env };
}

describe('guardcli dashboard', () => {
  it('starts the stack where no subcommand is named', async (t) => {
    const { root, run } = home(t);
    const { status, stderr } = await run('--without', 'grafana');
    assert.equal(status, 3);
    assert.match(stderr, /^error: no compose tool was found\.\n {2}\| docker compose: it is not on this machine\n/);
    assert.match(stderr, /\n {2}Install the compose plugin of Docker \(Debian 13: /);
    assert.ok(existsSync(join(root, '.guard/observability/compose.yaml')));
  });

  it('has other words for its subcommands', async (t) => {
    const { run } = home(t);
    for (const word of ['ps', 'start', 'stop']) assert.match((await run(word)).stderr, /no compose tool was found/);
    assert.match((await run('--help')).stdout, /\n {2}up, start +start/);
    assert.match((await run('stat')).stderr, /unknown command 'stat'/);
  });

  it('has nothing to stop before the first start, also without a compose tool', async (t) => {
    const { run } = home(t);
    const { status, stdout } = await run('down');
    assert.deepEqual([status, stdout], [0, 'the dashboard is not running\n']);
    assert.equal((await run('down', '--volumes')).status, 3);
    assert.equal((await run('status')).status, 3);
  });
});

describe('guardcli dashboard refuses', () => {
  it('ports that are none, and one port for two services', async (t) => {
    const { root, run } = home(t);
    assert.match((await run('up', '--port', '0')).stderr, /--port is "0"\. Pass a number from 1 to 65535/);
    const shared = await run('up', '--port', '3100');
    assert.equal(shared.status, 2);
    assert.match(shared.stderr, /GUARD_GRAFANA_PORT and GUARD_LOKI_PORT are both 3100/);
    assert.equal(existsSync(join(root, '.guard')), false);
  });

  it('a folder without a name, and one that compose tools do not accept', async (t) => {
    const { root, run } = home(t);
    for (const word of ['up', 'down', 'status', 'watch', 'query'])
      for (const dir of ['', 'a:b', '%s', 'new\nline', '\u001b[2J']) {
        const { status, stderr } = await run(...(word === 'query' ? [word, '{}'] : [word]), '--dir', dir);
        assert.equal(status, 2, `${word} ${JSON.stringify(dir)}: ${stderr}`);
        assert.match(stderr, /^error: the folder of the stack cannot be "[ -~]*"\. (?:Name a|Choose)/);
      }
    assert.match((await run('export', '')).stderr, /the folder of the stack cannot be ""\. Name a folder/);
    assert.deepEqual(readdirSync(root), []);
  });

  it('a service that it cannot leave out', async (t) => {
    const { status, stderr } = await home(t).run('up', '--without', 'loki');
    assert.equal(status, 2);
    assert.match(stderr, /Allowed choices are grafana/);
  });

  it('a cache that cannot be written, which holds its lock', async (t) => {
    const { root, run } = home(t);
    writeFileSync(join(root, 'cache'), '');
    for (const word of ['up', 'down']) {
      const { status, stderr } = await run(word);
      assert.equal(status, 2, stderr);
      assert.match(
        stderr,
        /^error: cannot write the cache in .*request-guard: a file is in the place of its folder\. Set XDG_CACHE_HOME to a folder that/,
      );
      assert.doesNotMatch(stderr, /bug/);
    }
  });

  it('with errors as JSON', async (t) => {
    const { stderr } = await home(t).run('status', '--json');
    assert.deepEqual(JSON.parse(stderr).error.code, 'no_compose');
  });
});

describe('guardcli dashboard export', () => {
  it('writes everything that a compose tool needs, and what it prints is true', async (t) => {
    const { root, run } = home(t);
    const { status, stdout } = await run('export', 'my files', '--port', '4000', '--json');
    assert.equal(status, 0);
    const { dir, written, kept, adminPassword } = JSON.parse(stdout);
    assert.deepEqual([dir, kept], [join(root, 'my files'), []]);
    for (const path of ['compose.yaml', 'loki/loki.yaml', 'collector/collector.yaml'])
      assert.ok(written.includes(path));
    for (const path of written) assert.ok(existsSync(join(dir, path)), path);
    assert.equal(readFileSync(join(dir, 'admin-password'), 'utf8'), adminPassword);
    assert.match(readFileSync(join(dir, '.env'), 'utf8'), /^GUARD_GRAFANA_PORT=4000$/m);
    assert.ok(existsSync(join(dir, 'logs')));
  });

  it('writes settings that only their owner can read: lines of the user may be secrets', async (t) => {
    const { root, run } = home(t);
    mkdirSync(join(root, 'observability'));
    const file = join(root, 'observability/.env');
    writeFileSync(file, 'HTTPS_PROXY=http://user:secret@proxy:1\n', { mode: 0o600 });
    await run('export');
    assert.match(readFileSync(file, 'utf8'), /secret/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it('keeps what the user changed, with a warning, and shows the password once', async (t) => {
    const { root, run } = home(t);
    assert.match((await run('export')).stdout, /password [\w-]{24} \(/);
    const file = join(root, 'observability/loki/loki.yaml');
    writeFileSync(file, '# mine, with GUARD_SECRET');
    const again = await run('export');
    assert.match(
      again.stderr,
      /^warning: kept, because you changed them \(--force overwrites them\):\n {2}loki\/loki\.yaml\n$/,
    );
    assert.doesNotMatch(again.stdout, /password/);
    assert.equal(readFileSync(file, 'utf8'), '# mine, with GUARD_SECRET');
    assert.equal((await run('export', '--force')).stderr, '');
    assert.doesNotMatch(readFileSync(file, 'utf8'), /mine/);
  });

  it('refuses the folder of guardcli, from which it copies', async (t) => {
    const { status, stderr } = await home(t).run('export', shippedFolder);
    assert.equal(status, 2);
    assert.match(stderr, /is the folder of guardcli itself/);
    assert.equal(existsSync(join(shippedFolder, '.env')), false);
  });

  it('refuses a folder that is a file', async (t) => {
    const { root, run } = home(t);
    mkdirSync(join(root, 'a'));
    writeFileSync(join(root, 'a/stack'), '');
    const { status, stderr } = await run('export', 'a/stack');
    assert.equal(status, 2);
    assert.match(
      stderr,
      /^error: cannot write the files of the stack to .*a\/stack: a (?:file is in the place|part of its path is not).*Choose a folder/,
    );
  });
});

describe('the secret of an exported stack', () => {
  it('is new where an older version wrote the files, and is readable by its owner only', async (t) => {
    const { root, run } = home(t);
    mkdirSync(join(root, 'observability'));
    const file = join(root, 'observability/.env');
    writeFileSync(file, 'GUARD_LOKI_PORT=4100\n', { mode: 0o644 });
    const first = await run('export');
    const [secret = ''] = readFileSync(file, 'utf8').match(/(?<=^GUARD_SECRET=)[0-9a-f]{32}$/m) ?? assert.fail();
    chmodSync(file, 0o644);
    const second = await run('export', '--json');
    assert.match(readFileSync(file, 'utf8'), new RegExp(`^GUARD_SECRET=${secret}$`, 'm'));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    for (const { stdout, stderr } of [first, second]) assert.ok(!`${stdout}${stderr}`.includes(secret));
  });

  it('refuses changed files from before the secret: Loki would be open, or not reachable', async (t) => {
    const { root, run } = home(t);
    const file = join(root, 'observability/loki/loki.yaml');
    mkdirSync(join(root, 'observability/loki'), { recursive: true });
    writeFileSync(file, 'server: {http_listen_port: 3100}\n');
    const { status, stderr } = await run('export');
    assert.equal(status, 2);
    assert.match(
      stderr,
      /^error: loki\/loki\.yaml in .*: changed by you, and without GUARD_SECRET\. Add the lines of .* --force/,
    );
    assert.equal((await run('export', '--force')).status, 0);
    assert.match(readFileSync(file, 'utf8'), /^ {2}http_path_prefix: \/\$\{GUARD_SECRET\}$/m);
  });
});

describe('the images of an exported stack', () => {
  it('are the pinned ones, also on a machine with images that bootstrap made', async (t) => {
    const { root, run, env } = home(t);
    cacheRegistryAnswer(false, env);
    await run('export', 'stack');
    const images = () => readFileSync(join(root, 'stack/.env'), 'utf8').match(/(?<=^GUARD_\w+_IMAGE=).*/gm);
    assert.deepEqual(images(), [pinnedBase('grafana'), pinnedBase('loki'), pinnedBase('collector')]);
    await run('--dir', 'stack');
    assert.match(
      images()?.[2] ?? '',
      /^localhost\/guard-base\/opentelemetry-collector-contrib:/,
      'up uses the images of this machine',
    );
  });

  it('are those of the mirror that the user chose', async (t) => {
    const { root, run, env } = home(t);
    cacheRegistryAnswer(false, env);
    mkdirSync(join(root, 'stack'));
    writeFileSync(join(root, 'stack/.env'), 'GUARD_BASE_PREFIX=mirror.example/all\n');
    await run('export', 'stack');
    assert.match(readFileSync(join(root, 'stack/.env'), 'utf8'), /^GUARD_LOKI_IMAGE=mirror\.example\/all\/loki:/m);
  });
});

/** Script of a compose tool that pulls no image of the collector except `here`. */
const fakeTool = (here: string): string => `#!/bin/sh
case "$*" in
*version*) echo 2.40.0 ;;
*'ps '*) echo '[]' ;;
*'pull collector'*) [ "$GUARD_COLLECTOR_IMAGE" = '${here}' ] || { echo "no such host: $GUARD_COLLECTOR_IMAGE" >&2; exit 1; } ;;
*'pull '*) ;;
*) echo "started with $GUARD_COLLECTOR_IMAGE" >&2; exit 1 ;;
esac
`;

describe('a machine without a registry', () => {
  const up = async (t: TestContext, here: string) => {
    const { root, env } = home(t);
    cacheRegistryAnswer(false, env);
    mkdirSync(env.PATH);
    writeFileSync(join(env.PATH, 'docker-compose'), fakeTool(here), { mode: 0o755 });
    const free = ['GUARD_GRAFANA_PORT', 'GUARD_LOKI_PORT', 'GUARD_OTLP_GRPC_PORT', 'GUARD_OTLP_HTTP_PORT'];
    const numbers = await freePorts(5);
    const ports = [...free, 'GUARD_COLLECTOR_HEALTH_PORT'].map((name, index) => [name, String(numbers[index])]);
    return {
      root,
      ...(await runCaptured(['dashboard', 'up'], { env: { ...env, ...Object.fromEntries(ports) }, cwd: root })),
    };
  };

  it('gets the name of the missing image, and how to bring it', async (t) => {
    const { status, stderr, root } = await up(t, 'none');
    const image = pinnedBase('collector');
    assert.equal(status, 3);
    assert.match(stderr, /^error: the image of collector cannot be pulled\.$/m);
    for (const part of [
      `docker save --output images.tar ${image}`,
      'docker load --input images.tar',
      `no such host: ${image}`,
    ])
      assert.ok(stderr.includes(part), part);
    assert.ok(stderr.includes(`GUARD_BASE_PREFIX=mirror.example/all in ${join(root, '.guard/observability/.env')}`));
    assert.doesNotMatch(stderr, /guard-base|registry responds/);
  });

  it('uses an image that docker load brought', async (t) => {
    const { stderr } = await up(t, pinnedBase('collector'));
    assert.ok(stderr.includes(`started with ${pinnedBase('collector')}`), stderr);
  });
});

const tool = await findTool({}).catch(() => undefined);

describe('the compose file', { skip: tool ? false : 'no compose tool is on this machine' }, () => {
  it('is valid with the settings beside it, also where its path has spaces', async (t) => {
    const { root, run } = home(t);
    await run('export');
    const { program = '', prefix = [] } = tool?.tool ?? {};
    const file = join(root, 'observability/compose.yaml');
    const printed = await command(program, [...prefix, '--file', file, 'config']);
    assert.match(printed, /^ {6}- mode: ingress\n {8}host_ip: 127\.0\.0\.1$/m);
    assert.doesNotMatch(printed, /host_ip: (?!127\.0\.0\.1)|docker\.sock/);
  });
});
