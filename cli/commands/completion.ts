/** `guardcli completion <shell>` */

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

/** The command for the commands of `table`, itself among them. */
export function completionOf(table: readonly CommandRow[]): AnyCommand {
  return command<Options, CompletionResult>({
    examples: [
      { line: 'source <(guardcli completion bash)', note: 'for this session; put it into ~/.bashrc to keep it' },
      { line: 'guardcli completion zsh > "${fpath[1]}/_guardcli"', note: 'zsh reads it at its next start' },
      {
        line: 'guardcli completion fish > ~/.config/fish/completions/guardcli.fish',
        note: 'fish reads it when needed',
      },
    ],
    configure: (parser) =>
      parser.addArgument(parser.createArgument('<shell>', 'whose script to print').choices(shells)),
    async run({ shell }) {
      return { shell, script: scripts[shell](await wordsOfAll(table)) };
    },
    text: ({ script }) => script,
  });
}
