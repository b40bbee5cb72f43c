/** Completion scripts, one writer a shell. Files are completed wherever no word of ours fits. */
import type { CommandWords } from './words.ts';

const single = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const list = (words: readonly string[]): string => single(words.join(' '));

function bash(commands: readonly CommandWords[]): string {
  const cases = commands.flatMap(({ word, options, values }) => [
    `    ${word}:-*) words=${list(options.map((option) => option.word))} ;;`,
    ...(values.length === 0 ? [] : [`    ${word}:*) [ "$COMP_CWORD" -eq 2 ] && words=${list(values)} ;;`]),
  ]);
  return `_guardcli() {
  local current=\${COMP_WORDS[COMP_CWORD]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=${list([...commands.map(({ word }) => word), 'help', '--help', '--version'])}
  else case "\${COMP_WORDS[1]}:$current" in
${cases.join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _guardcli guardcli`;
}

/** A word and its note as zsh's _describe wants them. */
const described = (word: string, note: string): string => single(`${word.replaceAll(':', '\\:')}:${note}`);

function zsh(commands: readonly CommandWords[]): string {
  const cases = commands.flatMap(({ word, options, values }) => [
    `      ${word}:-*) found=(${options.map((option) => described(option.word, option.note)).join(' ')}) ;;`,
    ...(values.length === 0
      ? []
      : [`      ${word}:*) (( CURRENT == 3 )) && found=(${values.map(single).join(' ')}) ;;`]),
  ]);
  return `#compdef guardcli
_guardcli() {
  local -a found
  if (( CURRENT == 2 )); then
    found=(${commands.map(({ word, note }) => described(word, note)).join(' ')})
  else
    case "\${words[2]}:\${words[CURRENT]}" in
${cases.join('\n')}
    esac
  fi
  if (( \${#found} )); then _describe 'guardcli' found; else _files; fi
}
if [ "$funcstack[1]" = _guardcli ]; then _guardcli; else compdef _guardcli guardcli; fi`;
}

function fish(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(({ word, note, options, values }) => [
    `complete -c guardcli -f -n __fish_use_subcommand -a ${word} -d ${single(note)}`,
    ...options.map(
      (option) =>
        `complete -c guardcli -n '__fish_seen_subcommand_from ${word}' -l ${option.word.slice(2)} -d ${single(option.note)}`,
    ),
    ...(values.length === 0
      ? []
      : [`complete -c guardcli -n '__fish_seen_subcommand_from ${word}' -a ${list(values)}`]),
  ]);
  return lines.join('\n');
}

export const scripts = { bash, zsh, fish } as const;
export type Shell = keyof typeof scripts;
export const shells = Object.keys(scripts) as Shell[];
