/** Tests the bundled program as a process. */
import assert from 'node:assert/strict';
import { execFileSync, type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { until } from '../../platform/testing/until.ts';
import { scratch } from '../testing/scratch.ts';

const bin = join(packageRoot, 'dist/bin/guardcli.js');

function run(argv: readonly string[], options: SpawnSyncOptions = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...argv], { cwd: '/', ...options });
  return { status, stdout: String(stdout), stderr: String(stderr) };
}

/** Runs a bash command line in which `guardcli` is the program. Bash reports the exit statuses of the pipe. */
function shell(line: string): string {
  const prelude = `guardcli() { '${process.execPath}' '${bin}' "$@"; }; cd /;`;
  return execFileSync('bash', ['--norc', '-c', `${prelude} { ${line}; } 2>&1`], { encoding: 'utf8' });
}

describe('the program', () => {
  it('prints verdicts and exits 0', () => {
    const { status, stdout, stderr } = run(['test', '/static/..%252f.env']);
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
    assert.match(stdout, /\nBLOCKED 403 {2}block_pattern_match\n {2}target +path\n {2}candidate +\S+\n {2}rule +\S+\n/);
    assert.match(run(['test', '/robots.txt']).stdout, /\nALLOWED {2}allow_pattern_match\n/);
  });
  it('reads standard input', () => {
    assert.match(run(['validate', '-'], { input: '{}' }).stdout, /^<stdin>: schema passed\n/);
  });
  it('exits 1 for a negative result, and 2 for a usage error and for no arguments', () => {
    const statuses = [['test', '/.env', '--expect', 'allowed'], ['tset'], []].map((argv) => run(argv).status);
    assert.deepEqual(statuses, [1, 2, 2]);
  });
  it('starts through a link from any folder', () => {
    const folder = scratch();
    execFileSync('ln', ['-s', bin, join(folder, 'guardcli')]);
    assert.match(
      String(spawnSync(process.execPath, [join(folder, 'guardcli'), 'version']).stdout),
      /^\d+\.\d+\.\d+\n$/,
    );
  });
  it('works without a writable cache', () => {
    for (const cache of ['/dev/null', '/proc']) {
      const env = { ...process.env, XDG_CACHE_HOME: cache, HOME: '/dev/null' };
      assert.equal(run(['test', '/x'], { env, timeout: 30_000, killSignal: 'SIGKILL' }).status, 0, cache);
    }
  });
  it('reports a Node that is too old', () => {
    const old = "data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.19.0' })";
    const { status, stderr } = spawnSync(process.execPath, ['--import', old, bin, 'version'], { encoding: 'utf8' });
    assert.equal(status, 3, stderr);
    assert.match(
      stderr,
      /^error: guardcli needs Node 26 or newer, and this is v.*\. Install it: https:\/\/nodejs\.org\.\n$/,
    );
  });
  it('reports a removed working directory', () => {
    const folder = scratch();
    const output = shell(`cd '${folder}' && rmdir '${folder}' && guardcli test /x; echo "status $?"`);
    assert.match(output, /error: the working directory no longer exists\. Change to another one\.\nstatus 2\n$/);
  });
});

/** Returns the source text of the start, of what it imports when it begins, and of all their static imports. */
function loaded(file: string, seen = new Set<string>()): string {
  if (seen.has(file)) return '';
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const pattern =
    file === bin
      ? /^(?:import|\} from| *const .*await import\(\s*).*?"(\.[^"]+)"/gm
      : /^(?:import|export|\} from).*?"(\.[^"]+)"/gm;
  const imports = [...text.matchAll(pattern)].map(([, name = '']) => name);
  return text + imports.map((name) => loaded(join(dirname(file), name), seen)).join('');
}

describe('the code that every start imports', () => {
  const text = loaded(bin);
  it('includes the table of commands', () => assert.match(text, /^\/\/ cli\/commands\/index\.ts$/m));
  for (const name of ['commander', 'zod', 'yaml', 're2', 'ink', 'react', 'dockerode', 'streamx', 'd3-scale']) {
    it(`excludes ${name}`, () => assert.doesNotMatch(text, new RegExp(`node_modules/${name}/|from "${name}"`)));
  }
  it('excludes the commands', () => assert.doesNotMatch(text, /^\/\/ cli\/commands\/(?!index)/m));
});

describe('closed and full outputs', () => {
  it('exits 0 when the reader closes the pipe at once', () => {
    assert.equal(shell('guardcli test /x | head -0; echo "${PIPESTATUS[0]}"'), '0\n');
  });
  it('exits 0 when the reader closes the pipe during long output', () => {
    assert.match(shell('guardcli schema | head -1; echo "${PIPESTATUS[0]}"'), /^\{\n0\n$/);
  });
  it('keeps its exit status when the reader of standard error closes the pipe', () => {
    assert.equal(shell('guardcli tset 2> >(head -0); echo "$?"'), '2\n');
  });
  it('exits 0 when standard output is closed', () =>
    assert.equal(shell('guardcli test /x >&-; echo $?').slice(-2), '0\n'));
  it('exits 3 when the disk is full', () => {
    assert.match(
      shell('guardcli test /x > /dev/full; echo "status $?"'),
      /error: writing .* no space .*\nstatus 3\n$/i,
    );
  });
  it('writes long output to a pipe completely', () => {
    const whole = shell('guardcli schema | cat');
    assert.equal((JSON.parse(whole) as { title: string }).title, 'guard.json');
  });
});

describe('hostile bytes', () => {
  const bytes = Array.from({ length: 255 }, (_, index) => String.fromCharCode(index + 1)).join('');
  const flags = ['--trace', '-q', bytes, '-b', bytes, '-H', `X-A: ${bytes}`, '--proxy', 'caddy'];
  it('are escaped on a terminal', () => {
    for (const argv of [['test', bytes, ...flags], ['test', bytes, '--json'], [bytes], ['validate', bytes]]) {
      const { stdout, stderr } = run(argv);
      assert.doesNotMatch(stdout, /[^\x20-\x7e\n]/);
      assert.doesNotMatch(stderr, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    }
  });
  it('can be passed in base64', () => {
    const target = Buffer.from(Array.from({ length: 256 }, (_, index) => index)).toString('base64');
    const { status, stdout } = run(['test', '--path-base64', target, '--json']);
    assert.equal(status, 0);
    const { request } = JSON.parse(stdout) as { request: { target: string } };
    assert.deepEqual(Buffer.from(request.target, 'latin1'), Buffer.from(target, 'base64'));
  });
});

describe('files', () => {
  it('of 100 MB are refused without reading them', () => {
    const folder = scratch();
    execFileSync('truncate', ['-s', '100M', join(folder, 'guard.json')]);
    for (const argv of [['test', '/x'], ['validate'], ['generate', 'caddy']]) {
      const { status, stdout, stderr } = run(argv, { cwd: folder });
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
      assert.match(stderr, /^error: cannot read guard\.json: it is too large\. /);
    }
  });
  it('without an end are refused', () => assert.equal(run(['validate', '/dev/zero']).status, 2));
  it('are read from pipes', () => {
    assert.match(shell("guardcli validate <(echo '{}')"), /^\/dev\/fd\/\d+: schema passed\n/);
  });
});

describe('signals', () => {
  it('end the program with status 130 and without output', async () => {
    const child = spawn(process.execPath, [bin, 'validate', '-'], { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    // The program reads standard input after it installs signal handlers. It drains the pipe and waits for more.
    await new Promise<void>((resolve) => child.stdin.write(Buffer.alloc(1024 * 1024, ' '), () => resolve()));
    child.kill('SIGINT');
    const [status] = (await once(child, 'exit')) as [number];
    assert.deepEqual({ status, output }, { status: 130, output: '' });
  });
  it('end a program that waits for a named pipe', async (t) => {
    const folder = scratch();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writers: number[] = [];
    for (const argv of [
      ['validate', pipe],
      ['replay', pipe],
    ]) {
      const child = spawn(process.execPath, [bin, ...argv], { cwd: folder, stdio: 'ignore' });
      t.after(() => child.kill('SIGKILL'));
      // A pipe can be opened for writing without waiting only while the program has it open.
      await until(() => {
        try {
          return writers.push(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)) > 0;
        } catch {
          return false;
        }
      }, 'the program to open the pipe');
      child.kill('SIGINT');
      await until(() => child.exitCode !== null, `the end of ${argv.join(' ')}`);
      assert.equal(child.exitCode, 130);
    }
    for (const writer of writers) closeSync(writer);
  });
});

describe('terminals', { skip: spawnSync('script', ['--version']).status !== 0 && 'script(1) is not installed' }, () => {
  const onTerminal = (line: string, env = {}) => {
    const command = `'${process.execPath}' '${bin}' ${line}`;
    const input = openSync('/dev/null', 'r');
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
      stdio: [input, 'pipe', 'inherit'],
      cwd: '/',
      env: { ...process.env, TERM: 'xterm', NO_COLOR: '', ...env },
    });
    return String(stdout);
  };
  it('get colors', () => assert.match(onTerminal('test /.env'), /\x1b\[31mBLOCKED 403/));
  it('get no colors with NO_COLOR', () => assert.doesNotMatch(onTerminal('test /.env', { NO_COLOR: '1' }), /\x1b/));
  it('get no colors with TERM=dumb', () => assert.doesNotMatch(onTerminal('test /.env', { TERM: 'dumb' }), /\x1b/));
  it('get no colors in JSON', () => assert.doesNotMatch(onTerminal('test /.env --json'), /\x1b/));
});
