/** Words for completion, read from the commands themselves. */
import { type Option, Command as Parser } from 'commander';
import type { CommandGroup, CommandRow } from '../program/command.ts';

interface Word {
  readonly word: string;
  readonly note: string;
}

export interface OptionWord extends Word {
  /** Absent for a flag without a value. */
  readonly takes?: 'value' | 'optional value';
  readonly values: readonly string[];
}

export interface CommandWords extends Word {
  readonly options: readonly OptionWord[];
  /** Possible values of the first argument. */
  readonly values: readonly string[];
}

const commonOptions: readonly OptionWord[] = [
  { word: '--json', note: 'print one JSON document', values: [] },
  { word: '--help', note: 'show the help', values: [] },
];

function optionWord({ long, description, required, optional, argChoices = [] }: Option): OptionWord {
  const takes = required ? 'value' : optional ? 'optional value' : undefined;
  return { word: long ?? '', note: description, ...(takes && { takes }), values: argChoices };
}

async function wordsOfGroup(group: CommandGroup): Promise<Pick<CommandWords, 'options' | 'values'>> {
  const words = await wordsOfAll(group.subcommands);
  const options = new Map(words.flatMap((one) => one.options).map((option) => [option.word, option]));
  return {
    options: [...options.values()],
    values: [...words.map(({ word }) => word), ...group.subcommands.flatMap(({ aliases = [] }) => aliases)],
  };
}

async function wordsOf({ name, summary, load, subcommands = [] }: CommandRow): Promise<CommandWords> {
  const command = await load();
  if ('subcommands' in command) return { word: name, note: summary, ...(await wordsOfGroup(command)) };
  const parser = command.configure(new Parser(name));
  const options = parser.options.filter(({ long, hidden }) => long !== undefined && !hidden).map(optionWord);
  const values = [...(parser.registeredArguments[0]?.argChoices ?? []), ...subcommands.map((one) => one.name)];
  return { word: name, note: summary, options: [...options, ...commonOptions], values };
}

export function wordsOfAll(table: readonly CommandRow[]): Promise<CommandWords[]> {
  return Promise.all(table.map(wordsOf));
}
