import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLines } from './command-lines.ts';
import { problemsOf } from './problems.ts';

const page = (info: string, body: string): string => `\`\`\`${info}\n${body}\n\`\`\`\n`;

const refused: Readonly<Record<string, readonly [text: string, problem: RegExp]>> = {
  'a block without a way': [page('sh', 'guardcli version'), /its tests are unknown/],
  'an unknown way': [page('sh skip', 'guardcli version'), /its tests are unknown/],
  'a reason that is missing': [page('sh not-run', 'guardcli version'), /the reason must follow/],
  'words after a way without a reason': [page('sh run later', 'guardcli version'), /nothing must follow/],
  'a test that does not exist': [page('sh tested-by e2e/none.ts', 'guardcli version'), /there is no test/],
  'a test that does not read the page': [page('sh tested-by e2e/caddy/apply.test.ts', 'true'), /does not read p\.md/],
  'an unknown option': [page('sh not-run x', 'guardcli test / --expects blocked'), /did you mean|unknown option/],
  'an unknown command in a pipe': [page('sh not-run x', 'zcat a | guardcli replai - > b'), /unknown command 'replai'/],
  'an unknown command in a subshell': [page('sh not-run x', 'source <(guardcli completions bash)'), /unknown command/],
  'an unknown choice': [page('sh not-run x', 'guardcli generate cady guard.json'), /cady/],
  'an unknown option of the daemon': [page('sh not-run x', 'tcp-guard --chek -c a.yaml'), /tcp-guard has no --chek/],
  'an unknown script of npm': [page('sh not-run x', 'npm run everything'), /no script everything/],
  'a mistake for the shell': [page('sh not-run x', 'for a in'), /^p\.md:1: bash: /],
  'a session without a language': [page('', '$ guardcli version'), /must be console/],
  'a session without a command': [page('console run', '0.1.0'), /no command/],
  'a command line in the text': ['Run `guardcli test --bad`.\n', /unknown option '--bad'/],
};
for (const [name, [text, problem]] of Object.entries(refused))
  test(`refuses ${name}`, async () => assert.match((await problemsOf('p.md', text)).join('\n'), problem));

const accepted: Readonly<Record<string, string>> = {
  'other languages': page('json', '{}') + page('', 'output'),
  'a block with a reason': page('sh not-run a server of the reader', 'guardcli probe https://a.example --suite c.yaml'),
  'a subcommand': page('sh not-run x', `A=1 guardcli dashboard query '{app="x"} | ip="1"' --since 24h  # note`),
  'placeholders and names of commands in the text':
    '`guardcli sandbox`, `guardcli test <path>`, `guardcli generate ...`\n',
};
for (const [name, text] of Object.entries(accepted))
  test(`accepts ${name}`, async () => assert.deepEqual(await problemsOf('p.md', text), []));

test('splits a script into simple commands', () =>
  assert.deepEqual(commandLines('a \'b c\' "d" \\\n  e 2>&1 | f - > g && X=1 h # i\n'), [
    ['a', 'b c', 'd', 'e'],
    ['f', '-'],
    ['h'],
  ]));
