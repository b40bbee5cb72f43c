/**
 * Mutants of the prefilters in Go and Lua, and of code that only the interpreted engine runs. With such a fault
 * requests would skip the inspection.
 */
import { interpretedPatterns } from './interpreted-patterns.ts';
import { interpretedReadings } from './interpreted-readings.ts';
import { interpretedXml } from './interpreted-xml.ts';
import { type Mutant, mutantsOf } from './mutant.ts';

const goTargets = mutantsOf('module/engine/target_prefilter.go', [
  ['long targets pass', 'len(target) > PrefilterBytes || ', ''],
  ['doubled slashes pass', '"//", "/.", "./"', '"/.", "./"'],
  ['segments that end in a dot pass', '"//", "/.", "./"', '"//", "/."'],
  ['a dot at the end passes', 'list = append(list, "."+end)', '_ = end'],
  ['absolute targets pass', 'list = append(list, TargetStart+b) // absolute form', '_ = b'],
  ['ambiguous bytes pass', 'if isAmbiguous(byte(c)) || ', 'if '],
  ['a plus in a query passes', `(c == '+' || c == '"')`, `c == '"'`],
  ['a quotation mark in a query passes', `(c == '+' || c == '"')`, "c == '+'"],
  ['rules for queries have no literals', ' || s.policy.CheckQuery && r.kinds&queryKind != 0', ''],
  [
    'rules without literals do not count',
    '\t\t\treturn nil\n\t\t}\n\t\tfor _, literal',
    '\t\t\tcontinue\n\t\t}\n\t\tfor _, literal',
  ],
  ['literals begin a path only', 'heads, literal = starts, ', 'heads, literal = starts[:1], '],
  ['literals end a path only', 'append(ends[:len(ends):len(ends)], ', 'append(ends[:1:1], '],
  ['slashes hide a literal', 'len(ends)], "/")', 'len(ends)])'],
  ['base64 in a query passes', 'find = without64(find)', '_ = without64'],
  ['common targets pass in any case', 'lower != target && p.common[lower]', 'false'],
  ['common targets pass whatever the policy', '!e.run().Blocked', 'e.run().Place >= 0'],
]);

const goRules = mutantsOf('module/engine/match/prefilter.go', [
  ['patterns without literals are never tried', 's.always.Add(i)', '_ = i'],
  [
    'literals at the end of a text are not found',
    'state = next[state+uint32(class[textEnd[0]])]\n\tif state >= found {',
    'if false {',
  ],
  [
    'literals at the start of a text are not found',
    's.start = s.next[t.nodes[0].state+uint32(classes[textStart[0]])]',
    's.start = t.nodes[0].state',
  ],
  ['upper case hides a literal', 's.class[strings.ToUpper(string(rune(n.last)))[0]] = class', '_ = strings.ToUpper'],
  ['a plus hides a literal with a space', "s.class['+'] = s.class[' ']", '_ = s'],
  ['a literal inside of another one is not found', 'copy(row, s.next[n.suffix.state:])', '_ = row'],
]);

const goValues = mutantsOf('module/engine/valueprefilter.go', [
  ['a plus at the end of a value passes', `classes['+'], classes['"'] = space, special`, `classes['"'] = special`],
  ['a quotation mark in a value passes', `classes['+'], classes['"'] = space, special`, `classes['+'] = space`],
  ['long texts pass', 'cleanBytes = limits.QueryBytes', 'cleanBytes = limits.ViewBytes'],
  ['too many pairs pass', ' || pairs > limits.QueryPairs', ''],
  ['bodies of several kinds pass', 'len(formats) != 1 || ', 'len(formats) == 0 || '],
  ['the end of a long body passes', ' || len(body) > e.rules.policy.MaxBodyBytes', ''],
  ['too many values pass', 'isClean && values <= limits.BodyValues', 'isClean && values >= 0'],
  ['the key file passes', 'if string(text[from:end]) == "file" {', 'if false {'],
  ['a string without an end passes', ' || i == len(text)', ''],
  ['text outside of strings passes', '} else if !isOutsideOfStrings[text[i]] {', '} else if false {'],
  ['literals of a value are not found', 'r.prefilter.HasFound(r.highest) || ', ''],
  ['literals at the end of a value are not found', 'r.prefilter.FindsAtEnd(r.state) || ', ''],
  ['a final slash hides a literal of a value', ' || isSlashLast && r.prefilter.FindsAtEnd(r.before)', ''],
  ['literals of an encoded value are not found', 'sent.hasLiteral(before == slash) || ', ''],
  ['literals of a decoded value are not found', ' || escapes > 0 && decoded.hasLiteral(before == slash)', ''],
  ['a value with several readings passes', 'class != ordinary && !isPlainBehind(class, before)', 'false'],
  ['values that end in a dot pass', 'before >= dot || ', ''],
  ['base64 in a value passes', '!is64 && ', '(is64 || !is64) && '],
  ['rules without literals do not count for values', 'isSuspect || e.rules.prefilter.IsOpen()', 'isSuspect'],
  ['a match of a decoded value passes', ' || e.matchesReading(decoded, k)', ''],
  ['a match behind a plus passes', `bytes.IndexByte(text, '+') >= 0 && `, 'false && '],
  ['a match without the final slash passes', 'len(text) > 1 && ', 'false && '],
  ['candidates of a clean query do not count', 'e.words.used += sizeOfReadings(', '_ = sizeOfReadings('],
  ['the decoded text of a clean query does not count', 'size += size - escapes*len("HH")', '_ = escapes'],
  ['the spaced text of a clean query does not count', 'size *= 2', '_ = pluses'],
]);

const goBodies = mutantsOf('module/engine/body.go', [
  ['encoded bodies pass', 'if !isEncoded && (passes', 'if (passes'],
  ['unknown character sets pass', '(passes || !hasUnknownCharset(types)) && ', ''],
]);

const luaRules = mutantsOf('module/lua/guard/engine/prefilter.lua', [
  [
    'rules without literals are never tried in Lua',
    'local fallback = #always > 0 and always or nil',
    'local fallback = nil',
  ],
  ['rules beyond the states are never tried', 'always[#always + 1] = positions[rule]', ''],
  ['upper case hides a literal in Lua', 'column_of[code] = column_of[lower_case[code]]', ''],
  [
    'literals at the end of a text are not found in Lua',
    'return is_end[state] == 1 and add(found, trie.ends[state]) or found',
    'return found',
  ],
  [
    'literals at the start of a text are not found in Lua',
    'trie.start = trie.next[trie.column_of[TEXT_START]]',
    'trie.start = 0',
  ],
  ['a literal inside of another one is not found in Lua', 'ends[state] = append(ends[state], ends[suffix[state]])', ''],
]);

const luaTargets = mutantsOf('module/lua/guard/engine/target_prefilter.lua', [
  [
    'a path with several readings passes',
    'code == COLON or ambiguous[previous * 256 + code] == 1 then\n            return nil',
    'code == COLON then\n            return nil',
  ],
  ['a quotation mark in a query passes in Lua', 'query_ambiguous[first * 256 + QUOTE] = 1', ''],
  ['absolute targets pass in Lua', 'code == COLON or ambiguous', 'ambiguous'],
  ['long paths pass in Lua', 'at <= path_bytes + 1 and ', ''],
  ['paths that end in a dot pass in Lua', ' and can_end(previous) and not is_base64', ' and not is_base64'],
  [
    'a literal at the end of a path passes in Lua',
    'hits = hits + is_end[next_state[state * columns + stop]]\n    local is_plain',
    'local is_plain',
  ],
  ['a slash hides a literal in Lua', 'if code == SLASH then -- the readings', 'if false then -- the readings'],
  ['queries pass in Lua', 'elseif checks_query and stop < #target', 'elseif false and stop < #target'],
  ['a plus in a query passes in Lua', 'query_ambiguous[first * 256 + PLUS] = 1', ''],
  ['values that end in a dot pass in Lua', 'if not can_end(previous) or is_base64', 'if is_base64'],
  ['base64 in a query passes in Lua', ' or is_base64(target, start, at - 1)', ''],
  [
    'a literal at the end of a value passes in Lua',
    'hits = hits + is_end[next_state[state * columns + stop]]\n            if previous',
    'if previous',
  ],
  [
    'a final slash of a value hides a literal in Lua',
    '            if previous == SLASH then\n                hits',
    '            if false then\n                hits',
  ],
  ['too many pairs pass in Lua', 'parts <= query_pairs and ', ''],
  ['long queries pass in Lua', ' and length - mark <= query_bytes', ''],
  [
    'rules without literals do not count in Lua',
    'if not has_literal and not path_filter.is_open then',
    'if not has_literal then',
  ],
]);

export const goPrefilters: readonly Mutant[] = [
  ...goTargets,
  ...goRules,
  ...goValues,
  ...goBodies,
  ...interpretedPatterns,
  ...interpretedReadings,
  ...interpretedXml,
];
export const luaPrefilters: readonly Mutant[] = [...luaRules, ...luaTargets];
