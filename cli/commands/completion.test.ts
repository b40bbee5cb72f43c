import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { shells } from '../completion/scripts.ts';
import { runCaptured } from '../testing/captured.ts';
import { commands } from './index.ts';

async function script(shell: string): Promise<string> {
  return (await runCaptured(['completion', shell])).stdout;
}

/** Returns the completions of bash for `words`. The last word is incomplete. */
async function offered(...words: string[]): Promise<string[]> {
  const typed = ['guardcli', ...words].map((word) => `'${word}'`).join(' ');
  const ask = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _guardcli; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['--norc', '-c', `${await script('bash')}\n${ask}`], { encoding: 'utf8' });
  return output.split('\n').filter((word) => word !== '');
}

describe('guardcli completion', () => {
  for (const shell of shells) {
    it(`completes every command in ${shell}`, async () => {
      const text = await script(shell);
      for (const { name } of commands) assert.match(text, new RegExp(`\\b${name}\\b`));
      assert.match(text, /--?(?:l )?check-query/);
    });
  }
  it('completes commands in bash', async () => assert.deepEqual(await offered('va'), ['validate']));
  it('completes options in bash', async () => {
    assert.deepEqual(await offered('test', '--check'), ['--check-query', '--check-body']);
    assert.deepEqual(await offered('validate', '--js'), ['--json']);
  });
  it('completes targets in bash', async () => {
    assert.deepEqual(await offered('generate', 'proxyb'), ['proxyb', 'proxyb-kubernetes']);
    assert.deepEqual(await offered('generate', 'proxyb', 'proxyb'), []);
  });
  it('completes subcommands and their options in bash', async () => {
    assert.deepEqual(await offered('dashboard', 're'), ['report']);
    assert.deepEqual(await offered('dashboard', 'report', '--si'), ['--since', '--site']);
  });
  it('completes values of options in bash, behind a space and behind =', async () => {
    assert.deepEqual(await offered('test', '--expect', ''), ['blocked', 'allowed']);
    assert.deepEqual(await offered('test', '/x', '--expect', '=', 'bl'), ['blocked']);
    assert.deepEqual(await offered('test', '--expect', '='), ['blocked', 'allowed']);
    assert.deepEqual(await offered('test', '--proxy', '=', 'cad'), ['caddy']);
    assert.deepEqual(await offered('test', '--check-query', '/'), []);
  });
  it('does not complete commands in place of an option value', async () => {
    assert.match(await script('zsh'), /test:--expect\) found=\('blocked' 'allowed'\)/);
    assert.match(await script('fish'), / -l expect -x -a 'blocked allowed' -d /);
    assert.match(await script('fish'), / -l config -r -d /);
  });
  it('leaves options with a file to the file completion of the shell', async () =>
    assert.deepEqual(await offered('test', '-c', 'guard'), []));
  it('lists the supported shells', async () => {
    const { status, stderr } = await runCaptured(['completion', 'csh']);
    assert.equal(status, 2);
    assert.match(stderr, /bash, zsh, fish/);
  });
});
