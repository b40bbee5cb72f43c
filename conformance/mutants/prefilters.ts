/** Mutants of the prefilters in Go and Lua, and of code that only the interpreted engine runs. */
import { interpretedPatterns } from './interpreted-patterns.ts';
import { interpretedReadings } from './interpreted-readings.ts';
import { interpretedXml } from './interpreted-xml.ts';
import { type Mutant, mutantsOf } from './mutant.ts';

const goTargets = mutantsOf('module/engine/interpreted/target_prefilter.go', [
  ['long targets pass', 'len(target) > PrefilterBytes || ', ''],
  ['doubled slashes pass', '"//", "/.", "./"', '"/.", "./"'],
  ['segments that end in a dot pass', '"//", "/.", "./"', '"//", "/."'],
  ['a dot at the end passes', 'list = append(list, "."+end)', '_ = end'],
  ['absolute targets pass', 'list = append(list, TargetStart+b) // the target is not a path', '_ = b'],
  ['sessions of ASP.NET pass', '"./", "/("', '"./"'],
  ['front controllers pass', 'list = append(list, "."+script+"/")', '_ = script'],
  ['ambiguous bytes pass', 'if isAmbiguous(byte(c)) || ', 'if '],
  ['a plus in a query passes', `(c == '+' || c == '"')`, `c == '"'`],
  ['a quotation mark in a query passes', `(c == '+' || c == '"')`, "c == '+'"],
  ['literals begin a path only', 'heads, literal = starts, ', 'heads, literal = starts[:1], '],
  ['literals end a path only', 'append(ends[:len(ends):len(ends)], ', 'append(ends[:1:1], '],
  ['slashes hide a literal', 'len(ends)], "/")', 'len(ends)])'],
  ['base64 in a query passes', 'find = withoutBase64(find)', '_ = withoutBase64'],
  ['common targets pass in any case', 'lower != target && p.common[lower]', 'false'],
  ['common targets pass whatever the policy', '!rules.BlocksTarget(target)', 'target != ""'],
]);

const goTargetLiterals = mutantsOf('module/engine/evaluate.go', [
  ['rules for queries have no literals', '(!s.policy.CheckQuery || r.kinds&queryKind == 0)', 'true'],
  ['rules without literals do not count', 'return nil, false', 'continue'],
]);

const goRules = mutantsOf('module/engine/match/prefilter.go', [
  ['patterns without literals are never tried', 's.always.Add(i)', '_ = i'],
  [
    'literals at the end of a text are not found',
    'state = next[state+uint32(class[TextEnd[0]])]\n\tif state >= accepting {',
    'if false {',
  ],
  [
    'literals at the start of a text are not found',
    's.start = s.next[t.nodes[0].state+uint32(classes[TextStart[0]])]',
    's.start = t.nodes[0].state',
  ],
  ['upper case hides a literal', 's.class[strings.ToUpper(string(rune(n.last)))[0]] = class', '_ = strings.ToUpper'],
  ['a plus hides a literal with a space', "s.class['+'] = s.class[' ']", '_ = s'],
  ['a literal inside of another one is not found', 'copy(row, s.next[n.suffix.state:])', '_ = row'],
]);

const goValues = mutantsOf('module/engine/value_prefilter.go', [
  [
    'a plus at the end of a value passes',
    `classes['+'], classes['"'] = spaceByte, specialByte`,
    `classes['"'] = specialByte`,
  ],
  [
    'a quotation mark in a value passes',
    `classes['+'], classes['"'] = spaceByte, specialByte`,
    `classes['+'] = spaceByte`,
  ],
  ['long texts pass', 'cleanBytes = limits.QueryBytes', 'cleanBytes = limits.ViewBytes'],
  ['too many pairs pass', 'pairs > limits.QueryPairs', 'pairs < 0'],
  ['bodies of several kinds pass', 'len(formats) != 1 || ', 'len(formats) == 0 || '],
  ['the end of a long body passes', ' || len(body) > e.rules.policy.MaxBodyBytes', ''],
  ['too many values pass', 'isClean && values <= limits.BodyValues', 'isClean && values >= 0'],
  ['the key file passes', 'filePair.Match(text[from:end+1])', 'false'],
  ['blanks before the key file pass', 'mayNameFile(withoutKeyBlanks(text[from:end]))', 'mayNameFile(text[from:end])'],
  ['a string without an end passes', ' || i == len(text)', ''],
  ['text outside of strings passes', '} else if !isOutsideOfStrings[text[i]] {', '} else if false {'],
  ['literals of a value are not found', 'r.prefilter.HasLiteral(r.highest) || ', ''],
  ['literals at the end of a value are not found', 'r.prefilter.HasLiteralAtEnd(r.state) ||\n\t\t', ''],
  ['a final slash hides a literal of a value', ' ||\n\t\tisSlashLast && r.prefilter.HasLiteralAtEnd(r.before)', ''],
  ['literals of an encoded value are not found', 'sent.hasLiteral(before == slashByte) || ', ''],
  ['literals of a decoded value are not found', ' || escapes > 0 && decoded.hasLiteral(before == slashByte)', ''],
  ['a value with several readings passes', 'class != ordinaryByte && !isPlainBehind(class, before)', 'false'],
  ['values that end in a dot pass', 'before >= dotByte || ', ''],
  ['base64 in a value passes', '!is64 && ', '(is64 || !is64) && '],
  ['base64 of JSON in a value passes', '!mayBeJSON64(decoded) && ', ''],
  [
    'rules without literals do not count for values',
    'isSuspect || e.rules.prefilter.HasPatternWithoutLiteral()',
    'isSuspect',
  ],
  ['a match of a decoded value passes', ' || e.matchesReading(decoded, k)', ''],
  ['a match behind a plus passes', `bytes.IndexByte(text, '+') >= 0`, `bytes.IndexByte(text, '+') > len(text)`],
  ['a match without the final slash passes', 'len(text) > 1 && ', 'false && '],
  ['candidates of a clean query do not count', 'e.buffers.used += sizeOfReadings(', '_ = sizeOfReadings('],
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
  ['upper case hides a literal in Lua', 'column_of[code] = column_of[folded_bytes[code]]', ''],
  ['a plus hides a literal with a space in Lua', ':gsub("+", " ")', ''],
  [
    'literals at the end of a text are not found in Lua',
    'return is_end[state] == 1 and add_rules(found, trie.ends[state]) or found',
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
    'elseif ambiguous[previous * 256 + code] == 1 then\n            return nil',
    'elseif false then\n            return nil',
  ],
  ['targets without a leading slash pass in Lua', ' or byte(target) ~= SLASH then', ' then'],
  ['sessions of ASP.NET pass in Lua', 'ambiguous[SLASH * 256 + PARENTHESIS] = 1', ''],
  ['front controllers pass in Lua', 'if dots > 0 and is_script_before(target, at) then', 'if false then'],
  ['long paths pass in Lua', 'at <= path_bytes + 1 and ', ''],
  ['paths that end in a dot pass in Lua', ' and can_end(previous) and not is_base64', ' and not is_base64'],
  [
    'a literal at the end of a path passes in Lua',
    'hits = hits + is_end[next_state[state * columns + stop]]\n    local is_plain',
    'local is_plain',
  ],
  ['a slash hides a literal in Lua', 'if code == SLASH then -- the path up to', 'if false then -- the path up to'],
  ['queries pass in Lua', 'elseif checks_query and stop < #target', 'elseif false and stop < #target'],
  ['too many pairs pass in Lua', ' and count <= query_pairs', ''],
  [
    'rules without literals do not count in Lua',
    'if not has_literal and not path_filter.has_rule_without_literal then',
    'if not has_literal then',
  ],
]);

const luaValues = mutantsOf('module/lua/guard/engine/value_prefilter.lua', [
  ['a quotation mark in a value passes in Lua', 'ambiguous[first * 256 + QUOTE] = 1', ''],
  ['a plus before a slash passes in Lua', 'ambiguous[PLUS * 256 + SLASH] = 1', ''],
  ['a plus at the end of a value passes in Lua', 'code ~= PLUS and ', ''],
  ['values that end in a dot pass in Lua', 'not can_end[last] or ', ''],
  ['base64 in a value passes in Lua', ' or is_base64(decoded, size)', ''],
  ['base64 of JSON in a value passes in Lua', ' or may_be_json(decoded, size)', ''],
  ['a value with several readings passes in Lua', ' or ambiguous[last * 256 + code] == 1', ''],
  ['a literal of an encoded value passes in Lua', 'hits = hits + is_end[raw_state]\n', '\n'],
  ['a literal of a decoded value passes in Lua', 'hits = hits + is_end[decoded_state]\n', '\n'],
  [
    'a literal at the end of a value passes in Lua',
    'hits + is_end[next_state[raw_state * columns + stop]] + ',
    'hits + ',
  ],
  [
    'a literal at the end of a decoded value passes in Lua',
    ' + is_end[next_state[decoded_state * columns + stop]]',
    '',
  ],
  [
    'a final slash of a value hides a literal in Lua',
    'is_end[next_state[raw_state_before * columns + stop]]\n            + ',
    '',
  ],
  [
    'a final slash of a decoded value hides a literal in Lua',
    ' + is_end[next_state[decoded_state_before * columns + stop]]',
    '',
  ],
  [
    'rules without literals do not count for values in Lua',
    '(hits > 0 or filter.has_rule_without_literal)',
    'hits > 0',
  ],
  [
    'a match of a decoded value passes in Lua',
    ' and (decoded_text == text or is_text_clean(match, decoded_text, pause))',
    '',
  ],
  ['a match behind a plus passes in Lua', ' and (spaced == value or is_clean(spaced))', ''],
  ['the key file passes in Lua', 'return false, count -- file=', 'count = count + 0 -- file='],
  ['text outside of strings passes in Lua', 'elseif not is_outside_of_strings[code] then', 'elseif false then'],
  ['a string without an end passes in Lua', 'return at == length + 1, count', 'return at > length, count'],
  ['long texts pass in Lua', 'most_bytes = limits.query_bytes', 'most_bytes = limits.view_bytes'],
]);

const luaBodies = mutantsOf('module/lua/guard/engine/body.lua', [
  ['encoded bodies pass in Lua', 'if not encoded and #kinds == 1', 'if #kinds == 1'],
  ['bodies of several kinds pass in Lua', '#kinds == 1 and ', ''],
  ['the end of a long body passes in Lua', '#body <= policy.max_body_bytes and passes', 'passes'],
  ['unknown character sets pass in Lua', 'and not (blocks and content_type.has_unknown_charset(lines)) then', 'then'],
  ['too many values pass in Lua', 'is_clean and count <= limits.body_values', 'is_clean'],
]);

export const goPrefilters: readonly Mutant[] = [
  ...goTargets,
  ...goTargetLiterals,
  ...goRules,
  ...goValues,
  ...goBodies,
  ...interpretedPatterns,
  ...interpretedReadings,
  ...interpretedXml,
];
export const luaPrefilters: readonly Mutant[] = [...luaRules, ...luaTargets, ...luaValues, ...luaBodies];
