/** The words that comments, messages and documentation avoid, each with what to write instead. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { packageRoot } from '../platform/assets.ts';

interface Word {
  /** Matched in any letter case, between word boundaries. */
  readonly avoid: string;
  readonly instead: string;
}

/** Style: the subject is named, the verb is the one of the field. */
const style: readonly Word[] = [
  {
    avoid: 'whoever|somebody|(?<!http\\.)nobody|anybody',
    instead: 'name the subject: the client, the caller, the operator',
  },
  {
    avoid: '(?<!\\bthere )(?:is|are|was|were) no (?!longer|more|less|fewer|wider|later|earlier)[a-z]+',
    instead: 'is not a',
  },
  { avoid: 'of (?:its|their) own', instead: 'its own, separate, dedicated' },
  { avoid: 'stands?|stood', instead: 'is, is in, means' },
  { avoid: 'mend(?:s|ed|ing)?', instead: 'fix, repair' },
  { avoid: 'heed(?:s|ed|ing)?', instead: 'observe, follow, handle' },
  { avoid: 'speaks?|spoke|spoken', instead: 'uses, sends' },
  { avoid: 'tells?|told', instead: 'reports, returns, says' },
  { avoid: 'hears?|heard', instead: 'receives' },
  { avoid: 'anew', instead: 'again' },
  { avoid: 'as (?:it is|they are)', instead: 'unchanged, verbatim' },
  { avoid: 'of no account', instead: 'ignored' },
  { avoid: 'has nothing to say', instead: 'returns nothing' },
  { avoid: 'what is on the way', instead: 'what is in flight' },
  { avoid: 'looked at', instead: 'inspected' },
  { avoid: 'let pass|lets? [a-z]+ pass', instead: 'allow, pass' },
  { avoid: 'by heart', instead: 'from memory' },
  { avoid: 'so many', instead: 'this many, the number of' },
  { avoid: 'the rest', instead: 'the remaining ones, the remainder' },
];

/** Glossary: one term for each concept. */
const glossary: readonly Word[] = [
  { avoid: 'container engines?', instead: 'container runtime' },
  { avoid: 'own (?:rules?|patterns?)', instead: 'custom rules, custom patterns' },
  { avoid: 'sieves?|short cuts?', instead: 'prefilter' },
  { avoid: 'seats?', instead: 'slots' },
  { avoid: 'enlists?', instead: 'register' },
  { avoid: 'neighbou?rs?', instead: 'trusted proxy' },
  { avoid: 'knock(?:s|ed|ing)?', instead: 'probe' },
  { avoid: 'salvage[sd]?', instead: 'recovery, recover' },
];

/** American spelling. */
const spelling: readonly Word[] = [
  { avoid: '(?:behavi|col|fav|hon|lab)our(?:s|ed|ing|less)?', instead: 'the spelling with -or' },
  {
    avoid: '(?:recogn|serial|normal|initial|minim|optim|author|summar)is(?:e[sd]?|ing|ation)',
    instead: 'the spelling with -iz',
  },
  { avoid: 'licence|defence|centre|cancelled|cancelling|modelled|labelled', instead: 'the American spelling' },
];

export const words = [...style, ...glossary, ...spelling];

interface Exception {
  readonly file: string;
  /** Part of the line. */
  readonly line: string;
  readonly why: string;
}

/** Lines that need one of the words. */
export const exceptions: readonly Exception[] = [
  { file: 'e2e/nginx-process.ts', line: 'the account `nobody`', why: 'the name of an account' },
  { file: 'cli/input/source.test.ts', line: 'nobody', why: 'the name of an account' },
  { file: 'cli/sandbox/hardening.ts', line: 'The user nobody', why: 'the name of an account' },
  { file: 'cli/sandbox/image.test.ts', line: 'runs as nobody', why: 'the name of an account' },
  { file: 'e2e/record/dovecot.ts', line: 'nobody', why: 'the name of an account' },
  { file: 'e2e/record/postfix.ts', line: 'uid=nobody', why: 'the name of an account' },
  { file: 'e2e/record/mariadb.ts', line: "ask(at, 'nobody'", why: 'the name of an account' },
  { file: 'scripts/suites/reporter.ts', line: 'cancelled', why: 'a field of node:test' },
  { file: 'contract/vectors/vectors.test.ts', line: 'order own patterns', why: 'names of vector files' },
];

/** Data that tests compare byte for byte is left out, and so are these lists. */
const checked = '**/*.{md,ts,tsx,go,lua,sh,yaml,yml}';
const unchecked = ['**/testdata/**', '**/*_gen.go', 'module/lua/guard/tables.lua', 'scripts/words*.ts'];

export interface Use {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly word: Word;
}

const patterns = words.map((word) => ({ word, pattern: new RegExp(`\\b(?:${word.avoid})\\b`, 'i') }));
const isExcepted = (file: string, text: string): boolean =>
  exceptions.some((exception) => exception.file === file && text.includes(exception.line));

/** Every avoided word in a text, one for each word and line. */
export function usesIn(file: string, text: string): Use[] {
  return text.split('\n').flatMap((line, index) => {
    const found = patterns.filter(({ pattern }) => pattern.test(line));
    if (found.length === 0 || isExcepted(file, line)) return [];
    return found.map(({ word }) => ({ file, line: index + 1, text: line.trim(), word }));
  });
}

/** All avoided words in what git tracks below `folder`. */
export function uses(folder = '.'): Use[] {
  const files = execFileSync('git', ['ls-files', folder], { cwd: packageRoot, encoding: 'utf8' }).trim().split('\n');
  const wanted = files.filter(
    (file) => matchesGlob(file, checked) && !unchecked.some((glob) => matchesGlob(file, glob)),
  );
  return wanted.flatMap((file) => usesIn(file, readFileSync(join(packageRoot, file), 'utf8')));
}

if (import.meta.main) {
  for (const { file, line, text, word } of uses(process.argv[2])) {
    process.stdout.write(`${file}:${line}: ${text}\n  instead: ${word.instead}\n`);
  }
}
