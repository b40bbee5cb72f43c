/** Completion scripts for the shells. Where guardcli has no words, the shell completes file names. */
import type { CommandWords, OptionWord } from './words.ts';

const singleQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const wordList = (words: readonly string[]): string => singleQuoted(words.join(' '));

const withValues = ({ options }: CommandWords): readonly OptionWord[] =>
  options.filter(({ values }) => values.length > 0);

/** The script of bash, which splits `--name=value` into three words. */
function bashScript(commands: readonly CommandWords[]): string {
  const values = commands.flatMap((command) =>
    withValues(command).map((option) => `    ${command.word}:${option.word}) words=${wordList(option.values)} ;;`),
  );
  const cases = commands.flatMap(({ word, options, values }) => [
    `    ${word}:-*) words=${wordList(options.map((option) => option.word))} ;;`,
    ...(values.length === 0 ? [] : [`    ${word}:*) [ "$COMP_CWORD" -eq 2 ] && words=${wordList(values)} ;;`]),
  ]);
  return `_guardcli() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} words=
  if [ "$current" = = ]; then current=
  elif [ "$previous" = = ]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=${wordList([...commands.map(({ word }) => word), 'help', '--help', '--version'])}
  else case "\${COMP_WORDS[1]}:$previous" in
${values.join('\n')}
    *) case "\${COMP_WORDS[1]}:$current" in
${cases.map((line) => `  ${line}`).join('\n')}
    esac
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _guardcli guardcli`;
}

/** A word and its note in the syntax of zsh's _describe. */
const describedWord = (word: string, note: string): string => singleQuoted(`${word.replaceAll(':', '\\:')}:${note}`);

/** The script of zsh, which keeps `--name=value` as one word; `compset` strips the part before the value. */
function zshScript(commands: readonly CommandWords[]): string {
  const values = commands.flatMap((command) =>
    withValues(command).map(
      (option) => `      ${command.word}:${option.word}) found=(${option.values.map(singleQuoted).join(' ')}) ;;`,
    ),
  );
  const cases = commands.flatMap(({ word, options, values }) => [
    `        ${word}:-*) found=(${options.map((option) => describedWord(option.word, option.note)).join(' ')}) ;;`,
    ...(values.length === 0
      ? []
      : [`        ${word}:*) (( CURRENT == 3 )) && found=(${values.map(singleQuoted).join(' ')}) ;;`]),
  ]);
  return `#compdef guardcli
_guardcli() {
  local -a found
  local current=\${words[CURRENT]} previous=\${words[CURRENT-1]}
  if [[ $current == --*=* ]]; then
    previous=\${current%%=*}
    compset -P '*='
  fi
  if (( CURRENT == 2 )); then
    found=(${commands.map(({ word, note }) => describedWord(word, note)).join(' ')})
  else
    case "\${words[2]}:$previous" in
${values.join('\n')}
      *) case "\${words[2]}:$current" in
${cases.join('\n')}
      esac ;;
    esac
  fi
  if (( \${#found} )); then _describe 'guardcli' found; else _files; fi
}
if [ "$funcstack[1]" = _guardcli ]; then _guardcli; else compdef _guardcli guardcli; fi`;
}

function fishValues({ takes, values }: OptionWord): string {
  if (values.length > 0) return takes === 'value' ? ` -x -a ${wordList(values)}` : ` -a ${wordList(values)}`;
  return takes === 'value' ? ' -r' : '';
}

function fishScript(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(({ word, note, options, values }) => {
    const inside = `complete -c guardcli -n '__fish_seen_subcommand_from ${word}'`;
    return [
      `complete -c guardcli -f -n __fish_use_subcommand -a ${word} -d ${singleQuoted(note)}`,
      ...options.map((one) => `${inside} -l ${one.word.slice(2)}${fishValues(one)} -d ${singleQuoted(one.note)}`),
      ...(values.length === 0 ? [] : [`${inside} -a ${wordList(values)}`]),
    ];
  });
  return lines.join('\n');
}

export const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
export type Shell = keyof typeof scripts;
export const shells = Object.keys(scripts) as Shell[];
