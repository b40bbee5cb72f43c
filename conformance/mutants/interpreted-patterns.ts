/** Mutants of the pattern search of the interpreted engine. */
import { type Mutant, mutantsOf } from './mutant.ts';

const prefilter = mutantsOf('module/engine/interpreted/prefilter.go', [
  ['upper case hides a literal from the interpreter', 'lowerCase(lines) + match.LineEnd', 'lines + match.LineEnd'],
  [
    'a group with a pattern without literals is skipped',
    'g.isBlind = g.isBlind || member == nil',
    'g.isBlind = len(literals) == 0 && member == nil',
  ],
  ['patterns behind the first group are skipped', 'g < len(f.groups); g++', 'g < min(1, len(f.groups)); g++'],
  ['the ends of a literal are not those of a line', 'lineEnds.Replace(literal)', 'literal'],
  ['slashes hide a literal at the end of a line', 'i < len(ignored) && ', 'i < 0 && '],
  ['several slashes hide a literal at the end of a value', '"/" + match.LineEnd, "//"', '"/" + match.LineEnd'],
]);

const scan = mutantsOf('module/engine/interpreted/scan.go', [
  ['only the first line is searched', 'if !s.lines[line] {', 'if len(s.lines) == 0 {'],
  ['only the first pattern is searched for', 'i = f.next(lower, i+1)', 'i = -1'],
  ['only the first line with a literal is found', 'at = end + next\n', 'at = -1\n'],
  [
    'a line that matches without its final slashes is left out',
    ' || m.Match([]byte(strings.TrimRight(line, "/")))',
    '',
  ],
  ['too many lines are clear', 'if s.isTooMuch() {\n\t\treturn nil\n\t}\n\tmatched', 'matched'],
  ['spaces of a form are not scanned', 'strings.ReplaceAll(lines, "+", " ")', 'lines'],
  [
    'a line shares its ends with others',
    'match.LineEnd+match.LineEnd) + match.LineEnd',
    'match.LineEnd) + match.LineEnd',
  ],
]);

export const interpretedPatterns: readonly Mutant[] = [...prefilter, ...scan];
