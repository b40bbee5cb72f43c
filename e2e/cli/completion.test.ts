/** Completion in real shells, installed as docs/cli.md says. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type Shell, shells } from '../../cli/completion/scripts.ts';
import { until } from '../../platform/testing/until.ts';
import { program, temporaryFile } from '../support/guardcli.ts';
import { openTerminal, skip } from '../support/tmux.ts';

interface Installed {
  /** Path of the completion script, relative to the home folder. */
  readonly script: string;
  /** The start-up file, which sets the prompt to `$ `. */
  readonly settings: string;
  readonly text: string;
}

const installed: Readonly<Record<Shell, Installed>> = {
  bash: { script: 'completions/guardcli', settings: '.bashrc', text: `source completions/guardcli; PS1='$ '` },
  zsh: {
    script: 'completions/_guardcli',
    settings: '.zshrc',
    text: `fpath=(~/completions $fpath); autoload -Uz compinit; compinit -u; PS1='$ '`,
  },
  fish: {
    script: '.config/fish/completions/guardcli.fish',
    settings: '.config/fish/config.fish',
    text: `function fish_prompt; echo -n '$ '; end; function fish_greeting; end`,
  },
};

function open(t: TestContext, shell: Shell) {
  const home = dirname(temporaryFile('guard.json', '{}'));
  const { script, settings, text } = installed[shell];
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content);
  };
  write(script, execFileSync(process.execPath, [program, 'completion', shell], { encoding: 'utf8' }));
  write(settings, text);
  write('bin/guardcli', ''); // fish completes only programs on the PATH
  chmodSync(join(home, 'bin/guardcli'), 0o755);
  const environment = `HOME='${home}' XDG_CONFIG_HOME='${home}/.config' PATH='${home}/bin':$PATH TERM=xterm`;
  return openTerminal(t, `cd '${home}'; export ${environment}; ${shell} -i`, { columns: 100, rows: 20 });
}

/** The text before the Tab key, and after it. */
const rows = [
  ['a command', 'guardcli valid', 'guardcli validate'],
  ['an option', 'guardcli test --check-q', 'guardcli test --check-query'],
  ['a target', 'guardcli generate tcp-', 'guardcli generate tcp-guard'],
  ['a subcommand', 'guardcli dashboard rep', 'guardcli dashboard report'],
  ['a value', 'guardcli test --expect blo', 'guardcli test --expect blocked'],
  ['a value behind =', 'guardcli test --expect=blo', 'guardcli test --expect=blocked'],
  ['a file', 'guardcli validate gua', 'guardcli validate guard.json'],
  ['a file as the value of an option', 'guardcli test -c gua', 'guardcli test -c guard.json'],
] as const;

for (const shell of shells) {
  const missing = spawnSync(shell, ['--version']).status === 0 ? false : `${shell} is not installed`;
  describe(`completion in ${shell}`, { skip: skip || missing }, () => {
    for (const [what, typed, completed] of rows)
      it(`completes ${what}`, async (t) => {
        const { press, type, shows, screen } = open(t, shell);
        await shows(/^\$$/m);
        type(typed);
        press('Tab');
        await until(
          () => screen().split('\n').includes(`$ ${completed}`),
          () => `$ ${completed} on the screen:\n${screen()}`,
        );
      });
  });
}
