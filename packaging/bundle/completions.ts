import { commands } from '../../cli/commands/index.ts';
import { scripts } from '../../cli/completion/scripts.ts';
import { wordsOfAll } from '../../cli/completion/words.ts';

/** Returns the completion scripts of guardcli by the paths at which the packages of Debian and Fedora put them. */
export async function completions(): Promise<Readonly<Record<string, string>>> {
  const words = await wordsOfAll(commands);
  return {
    'usr/share/bash-completion/completions/guardcli': `${scripts.bash(words)}\n`,
    'usr/share/zsh/vendor-completions/_guardcli': `${scripts.zsh(words)}\n`,
    'usr/share/fish/vendor_completions.d/guardcli.fish': `${scripts.fish(words)}\n`,
  };
}
