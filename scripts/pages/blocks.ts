/** Finds the shell blocks of the documentation. The words after the language say how a block is tested. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';

/**
 * Ways to test a block, each with the words that must follow it. In a `console` block, a session, commands follow `$ `.
 * An `sh` block is a script that must succeed.
 */
export const ways = {
  /** The block runs in a scratch folder: `npm run check`. */
  run: 'nothing',
  /** The block runs in a scratch folder, with containers: `npm test`. */
  sandbox: 'nothing',
  /** Runs in the test image, which has its own ports and system folders: `npm run test:full`. */
  image: 'nothing',
  /** The block runs in a new clone: e2e/install/first-minute.test.ts. */
  clone: 'nothing',
  /** Runs in a container with only Node and the packed npm package: e2e/install/first-minute.test.ts. */
  packed: 'nothing',
  'tested-by': 'the test file',
  /** Only the arguments of this project's programs are checked. */
  'not-run': 'the reason',
} as const;

export type Way = keyof typeof ways;

export interface Block {
  /** Path from the root of the clone. */
  readonly page: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** A key of `ways`, or another word when the page does not say how the block is tested. */
  readonly way: string;
  readonly detail: string;
  readonly body: string;
}

const fence = /^```(\S*)[ \t]*(\S*)[ \t]*(.*)\n([\s\S]*?)^```$/gm;

export const pages: readonly string[] = globSync(
  ['README.md', 'docs/*.md', '*/README.md', 'conformance/vectors/README.md'],
  {
    cwd: packageRoot,
    exclude: ['node_modules/**', 'dist/**'],
  },
).sort();

export function blocksOf(page: string, text: string): Block[] {
  return Array.from(text.matchAll(fence), ({ index, 1: language = '', 2: way = '', 3: detail = '', 4: body = '' }) => ({
    ...{ page, language, way, detail, body },
    line: text.slice(0, index).split('\n').length,
  }));
}

export const isShell = ({ language }: Block): boolean => language === 'sh' || language === 'console';

export const readPage = (page: string): string => readFileSync(join(packageRoot, page), 'utf8');

export const shellBlocks = (): Block[] => pages.flatMap((page) => blocksOf(page, readPage(page)).filter(isShell));

export function blockWith(page: string, language: string, text: string): string {
  const found = blocksOf(page, readPage(page)).find(
    (block) => block.language === language && block.body.includes(text),
  );
  if (!found) throw new Error(`${page} has no ${language} block with ${text}`);
  return found.body;
}

export interface Step {
  readonly command: string;
  readonly output: string;
}

/** Returns the steps of a `console` block. A command that ends with a backslash continues on the next line. */
export function stepsOf({ body }: Block): Step[] {
  const step = /^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)/gm;
  return Array.from(body.matchAll(step), ([, command = '', output = '']) => ({ command, output }));
}

export const scriptOf = (block: Block): string =>
  block.language === 'sh'
    ? block.body
    : stepsOf(block)
        .map(({ command }) => `${command}\n`)
        .join('');
