import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { UsageError } from '../../platform/errors.ts';
import { parseDotenv } from './dotenv.ts';
import { defaultDir, envText, lokiUrlOf, readSettings, urlOf, variablesOf, withSecret } from './settings.ts';

const circumstances = { user: '1000:1000', files: 'abc' };

function folder(t: TestContext, env?: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'guard stack-'));
  t.after(() => rmSync(dir, { recursive: true }));
  if (env !== undefined) writeFileSync(join(dir, '.env'), env);
  return dir;
}

describe('the settings of a stack', () => {
  it('are the defaults in an empty folder, and in none', (t) => {
    const dir = folder(t);
    for (const where of [dir, join(dir, 'absent')]) {
      const { ports, logs } = readSettings(where, {});
      const expected = { grafana: 3000, loki: 3100, otlpGrpc: 4317, otlpHttp: 4318, collectorHealth: 13_133 };
      assert.deepEqual({ ports, logs }, { ports: expected, logs: './logs' });
    }
  });

  it('come from the command line, the environment, the file, in this order', (t) => {
    const dir = folder(t, 'GUARD_GRAFANA_PORT=4000\nGUARD_LOKI_PORT=\'4100\'\nGUARD_OTLP_HTTP_PORT="4400" # ours\n');
    const env = { GUARD_LOKI_PORT: '5100', GUARD_GRAFANA_PORT: '5000' };
    const { ports } = readSettings(dir, env, { grafana: 6000 });
    assert.deepEqual([ports.grafana, ports.loki, ports.otlpHttp], [6000, 5100, 4400]);
  });

  it('are read back as they were written, with the lines of the user', (t) => {
    const dir = folder(t, "GUARD_LOGS='/var/log/my $guard'\nexport HTTPS_PROXY=http://proxy:1\n# a remark\n");
    const settings = readSettings(dir, {}, { loki: 3200 });
    const text = envText(settings, variablesOf(settings, circumstances, {}));
    assert.match(text, /^GUARD_LOGS='\/var\/log\/my \$guard'$/m);
    assert.match(text, /^export HTTPS_PROXY=http:\/\/proxy:1$/m);
    writeFileSync(join(dir, '.env'), text);
    const again = readSettings(dir, {});
    assert.deepEqual(again, settings);
    assert.equal(envText(again, variablesOf(again, circumstances, {})), text);
    assert.equal(urlOf(again, 'loki'), 'http://127.0.0.1:3200');
  });

  it('keep a mirror, which names every image', (t) => {
    const dir = folder(t);
    const settings = readSettings(dir, { GUARD_BASE_PREFIX: 'mirror.example/all' });
    const variables = variablesOf(settings, circumstances, {});
    assert.equal(variables.GUARD_LOKI_IMAGE, 'mirror.example/all/loki:3.7.8');
    writeFileSync(join(dir, '.env'), envText(settings, variables));
    assert.equal(readSettings(dir, {}).prefix, 'mirror.example/all');
  });

  it('are in the home of the user, whatever HOME says', () => {
    assert.equal(defaultDir({ HOME: '/home/a' }), '/home/a/.guard/observability');
    for (const HOME of ['', 'relative', undefined]) assert.ok(isAbsolute(defaultDir({ HOME })));
  });

  it('name one project for each folder', (t) => {
    const home = folder(t);
    const project = (dir: string) => readSettings(dir, { HOME: home }).project;
    assert.match(project('/srv/a'), /^request-guard-dashboard-[0-9a-f]{8}$/);
    assert.notEqual(project(defaultDir({ HOME: home })), project(defaultDir({ HOME: '/home/other' })));
    assert.notEqual(project('/srv/a'), project('/srv/b'));
    assert.equal(project('/srv/a/'), project('/srv/a'));
    symlinkSync(home, join(home, 'link'));
    for (const below of ['', 'stack', 'a/stack'])
      assert.equal(project(join(home, 'link', below)), project(join(home, below)));
  });
});

describe('the secret of a stack', () => {
  it('is random and kept, and is in the URL of requests to Loki only', (t) => {
    const dir = folder(t);
    const none = readSettings(dir, {});
    assert.deepEqual([none.secret, lokiUrlOf(none)], ['', 'http://127.0.0.1:3100']);
    const settings = withSecret(none);
    assert.match(settings.secret, /^[0-9a-f]{32}$/);
    assert.notEqual(withSecret(none).secret, settings.secret);
    writeFileSync(join(dir, '.env'), envText(settings, variablesOf(settings, circumstances, {})));
    const again = withSecret(readSettings(dir, {}));
    assert.equal(again.secret, settings.secret);
    assert.deepEqual(
      [lokiUrlOf(again), urlOf(again, 'loki')],
      [`http://127.0.0.1:3100/${again.secret}`, 'http://127.0.0.1:3100'],
    );
  });
});

describe('settings that cannot be used', () => {
  for (const [name, text, message] of [
    ['a port that is not a number', 'GUARD_LOKI_PORT=many', /^GUARD_LOKI_PORT is "many" in .*\.env/],
    ['a port above 65535', 'GUARD_LOKI_PORT=70000', /^GUARD_LOKI_PORT is "70000"/],
    ['two services on one port', 'GUARD_LOKI_PORT=3000', /^GUARD_GRAFANA_PORT and GUARD_LOKI_PORT are both 3000/],
    ['a folder with a quote', `GUARD_LOGS="it's"`, /^GUARD_LOGS is "it's"/],
    ['a folder with a colon', 'GUARD_LOGS=a:b', /^GUARD_LOGS is "a:b"/],
    ['a folder in the home that compose tools name', 'GUARD_LOGS=~/logs', /^GUARD_LOGS is "~\/logs"/],
    ['a mirror with a quote', `GUARD_BASE_PREFIX="it's"`, /^GUARD_BASE_PREFIX is "it's"/],
  ] as const)
    it(`are refused: ${name}`, (t) => {
      const dir = folder(t, text);
      assert.throws(
        () => readSettings(dir, {}),
        (error) => error instanceof UsageError && message.test(error.message),
      );
    });

  it('are refused: a secret that is not one, which is not shown', (t) => {
    const dir = folder(t, 'GUARD_SECRET=hunter2/..\n');
    assert.throws(
      () => readSettings(dir, {}),
      /^UsageError: GUARD_SECRET in (?:(?!hunter2).)*is not 32 hexadecimal digits$/,
    );
  });

  it('are refused: a file that cannot be read', (t) => {
    const dir = folder(t);
    mkdirSync(join(dir, '.env'));
    assert.throws(() => readSettings(dir, {}), /cannot read .*\.env: not a regular file/);
  });
});

describe('a file of variables', () => {
  it('is read with comments, quotes and spaces as compose tools read it', () => {
    const text = `# A=1\nA = 2 # two\nB="x y#z"\nC='#'\n D=a#b\nnot a line\nE=\n`;
    const { values } = parseDotenv(text, new Set(['A', 'B', 'C', 'D', 'E']));
    assert.deepEqual(Object.fromEntries(values), { A: '2', B: 'x y#z', C: '#', D: 'a#b', E: '' });
  });
});
