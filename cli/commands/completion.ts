import { type Shell, scripts, shells } from '../completion/scripts.ts';
import { wordsOfAll } from '../completion/words.ts';
import { type AnyCommand, type CommandRow, command } from '../program/command.ts';

interface Options {
  readonly shell: Shell;
}

export interface CompletionResult {
  readonly shell: Shell;
  readonly script: string;
}

/** Builds this command for the commands of `table`, which includes it. */
export function completionOf(table: readonly CommandRow[]): AnyCommand {
  return command<Options, CompletionResult>({
    examples: [
      { line: 'source <(guardcli completion bash)', note: 'for this session; add it to ~/.bashrc to keep it' },
      { line: 'guardcli completion zsh > "${fpath[1]}/_guardcli"', note: 'zsh reads it at its next start' },
      {
        line: 'guardcli completion fish > ~/.config/fish/completions/guardcli.fish',
        note: 'fish reads it on demand',
      },
    ],
    configure: (parser) =>
      parser.addArgument(parser.createArgument('<shell>', 'the shell of the script').choices(shells)),
    async run({ shell }) {
      return { shell, script: scripts[shell](await wordsOfAll(table)) };
    },
    text: ({ script }) => script,
  });
}
