/** The words that comments, messages and documentation avoid, each with what to write instead. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { packageRoot } from '../platform/assets.ts';

/** A pattern, matched in any letter case between word boundaries, and what to write instead. */
type Word = readonly [avoid: string, instead: string];

const words: readonly Word[] = [
  // Style: the subject is named, the verb is the one of the field.
  ['whoever|somebody|(?<!http\\.)nobody|anybody', 'name the subject: the client, the caller, the operator'],
  ['(?<!\\bthere )(?:is|are|was|were) no (?!longer|more|less|fewer|wider|later|earlier)[a-z]+', 'is not a'],
  ['of (?:its|their) own', 'its own, separate, dedicated'],
  ['stands?|stood', 'is, is in, means'],
  ['mend(?:s|ed|ing)?', 'fix, repair'],
  ['heed(?:s|ed|ing)?', 'observe, follow, handle'],
  ['speaks?|spoke|spoken', 'uses, sends'],
  ['tells?|told', 'reports, returns, says'],
  ['hears?|heard', 'receives'],
  ['anew', 'again'],
  ['as (?:it is|they are)', 'unchanged, verbatim'],
  ['of no account', 'ignored'],
  ['has nothing to say', 'returns nothing'],
  ['what is on the way', 'what is in flight'],
  ['looked at', 'inspected'],
  ['let pass|lets? [a-z]+ pass', 'allow, pass'],
  ['by heart', 'from memory'],
  ['so many', 'this many, the number of'],
  ['the rest', 'the remaining ones, the remainder'],
  ['container engines?', 'container runtime'],
  ['own (?:rules?|patterns?)', 'custom rules, custom patterns'],
  ['sieves?|short cuts?', 'prefilter'],
  ['seats?', 'slots'],
  ['enlists?', 'register'],
  ['neighbou?rs?', 'trusted proxy'],
  ['knock(?:s|ed|ing)?', 'probe'],
  ['salvage[sd]?', 'recovery, recover'],
  ['(?:behavi|col|fav|hon|lab)our(?:s|ed|ing|less)?', 'the spelling with -or'],
  ['(?:recogn|serial|normal|initial|minim|optim|author|summar)is(?:e[sd]?|ing|ation)', 'the spelling with -iz'],
  ['licence|defence|centre|cancelled|cancelling|modelled|labelled', 'the American spelling'],
];

/** Lines that may have an avoided word: a file, and part of the line. */
export const exceptions: readonly (readonly [file: string, line: string])[] = [
  // The name of an account.
  ['cli/input/source.test.ts', 'nobody'],
  ['cli/sandbox/image/image.test.ts', 'runs as nobody'],
  ['conformance/record/mariadb.ts', "ask(at, 'nobody'"],
  // Types of messages of ICMPv6.
  ['daemon/kernel-bans/ruleset.ts', 'nd-neighbor-solicit'],
  // A field of node:test.
  ['scripts/suites/counts.ts', 'cancelled'],
  // A path of an address.
  ['contract/generated/exploits.ts', 'joomla.org/security-centre/'],
];

/** Files to check. Excludes these lists, and data that tests compare byte for byte. */
const checkedFiles = '**/*.{md,ts,tsx,go,lua,sh,yaml,yml}';
const uncheckedFiles = ['**/testdata/**', '**/*_gen.go', 'module/lua/guard/tables.lua', 'scripts/words*.ts'];

const patterns = words.map(([avoid, instead]) => ({ instead, pattern: new RegExp(`\\b(?:${avoid})\\b`, 'i') }));

/** Returns a message for each use of a word that the project avoids. */
export function usesIn(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = patterns.filter(({ pattern }) => pattern.test(line));
    if (found.length === 0 || exceptions.some(([name, part]) => name === file && line.includes(part))) return [];
    return found.map(({ instead }) => `${file}:${index + 1}: ${line.trim()} (instead: ${instead})`);
  });
}

export function findUses(): string[] {
  const files = execFileSync('git', ['ls-files'], { cwd: packageRoot, encoding: 'utf8' }).trim().split('\n');
  return files
    .filter((file) => matchesGlob(file, checkedFiles) && !uncheckedFiles.some((glob) => matchesGlob(file, glob)))
    .flatMap((file) => usesIn(file, readFileSync(join(packageRoot, file), 'utf8')));
}
