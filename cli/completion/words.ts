/** What can be completed, read from the commands themselves. */
import { Command as Parser } from 'commander';
import type { CommandRow } from '../program/command.ts';

export interface Word {
  readonly word: string;
  /** One clause. */
  readonly note: string;
}

export interface CommandWords extends Word {
  readonly options: readonly Word[];
  /** Values of the first argument, when they are known. */
  readonly values: readonly string[];
}

const common: readonly Word[] = [
  { word: '--json', note: 'print one JSON document' },
  { word: '--help', note: 'show the help' },
];

async function wordsOf({ name, summary, load }: CommandRow): Promise<CommandWords> {
  const parser = (await load()).configure(new Parser(name));
  const options = parser.options
    .filter(({ long, hidden }) => long !== undefined && !hidden)
    .map(({ long, description }) => ({ word: long as string, note: description }));
  const values = parser.registeredArguments[0]?.argChoices ?? [];
  return { word: name, note: summary, options: [...options, ...common], values };
}

export function wordsOfAll(table: readonly CommandRow[]): Promise<CommandWords[]> {
  return Promise.all(table.map(wordsOf));
}
