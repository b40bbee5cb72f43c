import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { UsageError } from '../../platform/errors.ts';
import { definition as dashboard } from '../commands/dashboard.ts';
import { commands } from '../commands/index.ts';
import { wordsOfAll } from '../completion/words.ts';
import { runCaptured } from '../testing/captured.ts';
import { type CommandRow, command } from './command.ts';
import '../testing/snapshots.ts';

interface Options {
  readonly word?: string;
  readonly size?: string;
}

const echo = command<Options, { readonly options: Options; readonly ok: boolean }, number>({
  examples: [{ line: 'guardcli echo a', note: 'says a' }],
  configure: (parser) => parser.argument('[word]', 'what to say').option('--size <n>', 'how loud'),
  async *run(options) {
    yield 1;
    yield 2;
    if (options.word === 'fail') throw new UsageError('no', { code: 'refused' });
    return { options, ok: options.word !== 'no' };
  },
  text: ({ options }, paint) => paint('bold', options.word ?? ''),
  notes: ({ options }) => (options.word === 'note' ? 'a note' : ''),
  lines: (step) => ({ stderr: `step ${step}`, ...(step === 2 && { stdout: 'half' }) }),
  exitCode: ({ ok }) => (ok ? 0 : 1),
});
let loads = 0;
const table: readonly CommandRow[] = [
  {
    name: 'echo',
    summary: 'say it',
    load: async () => {
      loads += 1;
      return echo;
    },
  },
  { name: 'other', summary: 'never loaded', load: () => assert.fail('the code of another command was loaded') },
  {
    name: 'group',
    summary: 'leads to others',
    load: async () => ({
      description: 'A paragraph.',
      examples: [{ line: 'guardcli group echo a', note: 'says a' }],
      subcommands: [
        { name: 'echo', summary: 'say it below', load: async () => echo },
        { name: 'other', summary: 'never loaded', load: () => assert.fail('another subcommand was loaded') },
      ],
    }),
  },
];
const run = (...argv: string[]) => runCaptured(argv, { table });

describe('a command', () => {
  it('prints progress, text and notes to the right streams', async () => {
    const expected = { status: 0, stdout: 'half\nnote\n', stderr: 'step 1\nstep 2\na note\n' };
    assert.deepEqual(await run('echo', 'note'), expected);
  });
  it('prints one JSON document and nothing else', async () => {
    const { stdout, stderr, status } = await run('echo', 'a', '--size', '3', '--json');
    assert.deepEqual(JSON.parse(stdout), { options: { word: 'a', size: '3' }, ok: true });
    assert.deepEqual({ stderr, status }, { stderr: '', status: 0 });
  });
  it('exits 1 for a negative result', async () => assert.equal((await run('echo', 'no')).status, 1));
  it('prints colors only on a terminal, and not with NO_COLOR', async () => {
    const bold = '\x1b[1ma\x1b[22m\n';
    const at = async (isTTY: boolean, env = {}) => (await runCaptured(['echo', 'a'], { table, isTTY, env })).stdout;
    assert.deepEqual(
      [await at(true), await at(false), await at(true, { NO_COLOR: '1' }), await at(true, { NO_COLOR: '' })],
      [`half\n${bold}`, 'half\na\n', 'half\na\n', `half\n${bold}`],
    );
  });
  it('reports errors on standard error', async () => {
    const { stdout, stderr, status } = await run('echo', 'fail');
    assert.deepEqual({ stdout, status }, { stdout: 'half\n', status: 2 });
    assert.match(stderr, /error: no\.\n$/);
  });
  it('reports errors as JSON with --json', async () => {
    const { stdout, stderr } = await run('echo', 'fail', '--json');
    assert.equal(stdout, '');
    assert.deepEqual(JSON.parse(stderr), { error: { code: 'refused', message: 'no' } });
  });
  it('prints nothing when it is interrupted', async () => {
    const signal = AbortSignal.abort();
    const { stderr } = await runCaptured(['echo', 'fail', '--json'], { table, signal });
    assert.equal(stderr, '');
  });
});

describe('a group of commands', () => {
  it('runs the subcommand that is named, and loads no other', async () => {
    const { stdout, status } = await run('group', 'echo', 'a', '--size', '3', '--json');
    assert.deepEqual(JSON.parse(stdout), { options: { word: 'a', size: '3' }, ok: true });
    assert.equal(status, 0);
    assert.equal((await run('group', 'echo', 'no')).status, 1);
  });
  it('lists its subcommands: when help is wanted, and with status 2 when none is named', async () => {
    const { status, stdout } = await run('group', '--help');
    assert.equal(status, 0);
    assert.match(
      stdout,
      /^Usage: guardcli group <command> \[options\]\n\nleads to others\n[\s\S]*\n {2}echo {2,}say it below\n/,
    );
    assert.deepEqual(await run('group'), { status: 2, stdout: '', stderr: stdout });
    assert.deepEqual(await run('help', 'group'), { status: 0, stdout, stderr: '' });
  });
  it('has help for each subcommand', async () => {
    const expected = await run('group', 'echo', '--help');
    assert.match(expected.stdout, /^Usage: guardcli group echo \[options\] \[word\]\n/);
    assert.deepEqual(await run('help', 'group', 'echo'), expected);
  });
  it('refuses unknown subcommands and options', async () => {
    assert.match((await run('group', 'ehco')).stderr, /^error: unknown command 'ehco'\. Did you mean "echo"\?/);
    assert.match((await run('group', 'x')).stderr, /guardcli group --help/);
    assert.match((await run('group', '--json')).stderr, /unknown option '--json'/);
  });
});

describe('a group with a usual subcommand', () => {
  const rows: readonly CommandRow[] = [
    {
      name: 'group',
      summary: 'leads to others',
      load: async () => ({
        description: 'A paragraph.',
        examples: [],
        usual: 'echo',
        subcommands: [{ name: 'echo', aliases: ['say'], summary: 'say it', load: async () => echo }],
      }),
    },
  ];
  const runIn = (...argv: string[]) => runCaptured(argv, { table: rows });

  it('runs it where no subcommand is named, with its options', async () => {
    assert.equal(JSON.parse((await runIn('group', '--json')).stdout).ok, true);
    assert.deepEqual(JSON.parse((await runIn('group', '--size', '3', '--json')).stdout).options, { size: '3' });
  });
  it('still has help, and refuses unknown subcommands and options', async () => {
    assert.match((await runIn('group', '--help')).stdout, /\n {2}echo, say +say it\n/);
    assert.match((await runIn('group', 'sya')).stderr, /unknown command 'sya'\. Did you mean "say"\?/);
    assert.match((await runIn('group', '--sise', '3')).stderr, /unknown option '--sise'/);
  });
  it('runs a subcommand that follows the options', async () => {
    const { ok, options } = JSON.parse((await runIn('group', '--size', '3', 'say', 'yes', '--json')).stdout);
    assert.deepEqual([ok, options.size, options.word], [true, '3', 'yes']);
  });
  it('runs a subcommand by another word for it', async () => {
    assert.equal((await runIn('group', 'say', 'no')).status, 1);
  });
});

describe('a subcommand without its group', () => {
  it('is named with the group', async () => {
    for (const [word, full] of [
      ['report', 'dashboard report'],
      ['start', 'dashboard start'],
      ['delete', 'bans delete'],
    ] as const)
      assert.match(
        (await runCaptured([word])).stderr,
        new RegExp(`unknown command '${word}'\\. Did you mean "${full}"\\?`),
      );
  });
});

describe('help', () => {
  it('of the program imports no command', async () => {
    const before = loads;
    for (const argv of [['--help'], ['-h'], ['help']]) {
      const { status, stdout, stderr } = await run(...argv);
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
      assert.match(stdout, /^Usage: guardcli <command> \[options\]\n[\s\S]*\n {2}echo {2,}say it\n/);
    }
    assert.equal(loads, before);
  });
  it('of a command has its options and examples', async () => {
    const { stdout } = await run('echo', '--help');
    assert.deepEqual(await run('help', 'echo'), { status: 0, stdout, stderr: '' });
    assert.match((await run('help', 'nothing')).stderr, /^error: unknown command 'nothing'\. /);
    assert.match(
      stdout,
      /^Usage: guardcli echo \[options\] \[word\]\n\nsay it\n[\s\S]*# says a\n {2}guardcli echo a\n$/,
    );
  });
  it('is printed on standard error with status 2 when no command is given', async () => {
    const { status, stdout, stderr } = await run();
    assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
    assert.equal(stderr, (await run('--help')).stdout);
  });
});

const refusals: readonly (readonly [string[], string, RegExp])[] = [
  [['ehco'], 'unknown_command', /^did you mean "echo"\?$/],
  [['\x1b[2J'], 'unknown_command', /--help/],
  [['--jsno'], 'unknown_option', /guardcli --help/],
  [['echo', '--sise', '3'], 'unknown_option', /^did you mean "--size"\?$/],
  [['echo', '--size'], 'option_missing_argument', /guardcli echo --help/],
  [['echo', 'a', 'b'], 'excess_arguments', /^write it like guardcli echo a; guardcli echo --help lists/],
];

describe('usage errors', () => {
  for (const [argv, code, hint] of refusals) {
    it(`${JSON.stringify(argv.join(' '))}: ${code}`, async () => {
      const [first = '', ...rest] = argv;
      const { status, stdout, stderr } = await run(first, '--json', ...rest);
      const { error } = JSON.parse(stderr) as { error: { code: string; hint: string } };
      assert.deepEqual({ status, stdout, code: error.code }, { status: 2, stdout: '', code });
      assert.match(error.hint, hint);
      assert.match((await run(...argv)).stderr, /^[\x20-\x7e\n]+$/);
    });
  }
});

describe('the table of commands', () => {
  it('has these rows', () => {
    const names = commands.map(({ name }) => name);
    const expected =
      'init test replay allow validate explain why diff schema generate build sandbox probe apply bans presets dashboard doctor ui cleanup version completion'.split(
        ' ',
      );
    assert.deepEqual(names, expected);
  });
  it('is what --help shows', async (t) => {
    t.assert.snapshot((await runCaptured(['--help'])).stdout);
  });
  for (const { name } of commands) {
    it(`has help for ${name}`, async (t) => {
      t.assert.snapshot((await runCaptured([name, '--help'])).stdout);
    });
  }
  for (const { name } of dashboard.subcommands) {
    it(`has help for dashboard ${name}`, async (t) => {
      t.assert.snapshot((await runCaptured(['dashboard', name, '--help'])).stdout);
    });
  }
  it('is described in docs/cli.md, with every option', async () => {
    const page = readFileSync(join(packageRoot, 'docs/cli.md'), 'utf8');
    for (const { word, options, values } of await wordsOfAll(commands)) {
      assert.match(page, new RegExp(`^\\|.*\\](?:\\(#${word}\\)).*\\|$`, 'm'), `the table of commands: ${word}`);
      const [, section = ''] = new RegExp(`^## ${word}$([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(page) ?? [];
      assert.notEqual(section.trim(), '', `a section for ${word}`);
      const own = options.filter((option) => option.word !== '--help' && option.word !== '--json');
      const listed = word === 'explain' ? [] : values; // docs/policy.md lists the rules
      for (const name of [...own.map((option) => option.word), ...listed])
        assert.ok(section.includes(name), `${word} ${name}`);
    }
  });
  it('has descriptions without manual line breaks', async () => {
    for (const { name, load } of commands)
      assert.doesNotMatch((await load()).description ?? '', /[^\n]\n(?![\n ])/, name);
  });
  it('has examples that parse', async () => {
    for (const { name, load } of commands) {
      const { examples } = await load();
      assert.ok(examples.length > 0, name);
      for (const { line } of examples) assert.match(line, new RegExp(`\\bguardcli ${name}\\b`));
    }
  });
});
