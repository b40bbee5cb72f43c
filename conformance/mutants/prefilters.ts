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
    's.start = s.next[s.root+uint32(classes[TextStart[0]])]',
    's.start = s.root',
  ],
  ['upper case hides a literal', 's.class[strings.ToUpper(string(rune(n.last)))[0]] = class', '_ = strings.ToUpper'],
  ['a plus hides a literal with a space', "s.class['+'] = s.class[' ']", '_ = s'],
  ['a literal inside of another one is not found', 'copy(row, s.next[n.suffix.state:])', '_ = row'],
  ['unprintable bytes pass', 'c < firstByte || c > lastByte || state >= s.accepting', 'state >= s.accepting'],
  ['a literal of a line passes', ' || state >= s.accepting {', ' {'],
  ['a literal at the start of a line passes', '!s.fromStart.has(text[0])', '!s.fromRoot.has(text[0])'],
  [
    'a literal at the end of a line passes',
    'return state == s.root && s.endsInRoot || !s.HasLiteralAtEnd(state)',
    'return true',
  ],
]);

const goLines = mutantsOf('module/engine/lines.go', [
  ['headers with an underscore pass', 'found.filter == nil || ', 'found.filter != nil && '],
  ['a crowd of lines passes', 'if len(lines) > limits.QueryPairs {', 'if false {'],
  ['blanks before a line pass', 'strings.HasPrefix(line, " ") || ', ''],
  ['blanks behind a line pass', ' || strings.HasSuffix(line, " ")', ''],
]);

const goExploits = [
  ...mutantsOf('module/engine/exploits.go', [
    ['a literal of a whole query passes', '!e.rules.wholeQueries.IsClean(reading)', 'len(reading) < 0'],
  ]),
  ...mutantsOf('module/engine/exploit_parts.go', [
    ['a literal of a body passes', 'filter.AddSuspects(reading, e.bodySuspects)', '_ = reading'],
  ]),
];

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
  ['long values pass', 'i-from > cleanBytes || ', ''],
  ['long bodies pass', 'len(body) > cleanBodyBytes || ', ''],
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
  ['targets without a leading slash pass in Lua', ' or byte(target) ~= SLASH then', ' then'],
  ['long paths pass in Lua', ' or stop > path_bytes then', ' then'],
  ['queries pass in Lua', 'elseif checks_query and is_inspected', 'elseif false and is_inspected'],
  ['too many pairs pass in Lua', ' and count <= query_pairs', ''],
  [
    'rules without literals do not count in Lua',
    'if hits == 0 and not path_filter.has_rule_without_literal then',
    'if hits == 0 then',
  ],
]);

const luaExploits = mutantsOf('module/lua/guard/engine/exploits.lua', [
  ['escapes of JSON in a body are not read in Lua', 'and not find(body, "\\\\u", 1, true)', ''],
  ['bodies with literals pass in Lua', 'and has_no_literal(filter.automaton, body, 1) then', 'then'],
]);

const luaShapes = mutantsOf('module/lua/guard/engine/shapes.lua', [
  ['a path with several readings passes', 'if ambiguous_in_path[lshift(last, 8) + code] == 1 or code', 'if code'],
  ['sessions of ASP.NET pass in Lua', 'ambiguous_in_path[lshift(SLASH, 8) + PARENTHESIS] = 1', ''],
  ['front controllers pass in Lua', ' or code == SLASH and scripts[extension] then', ' then'],
  ['paths that end in a dot pass in Lua', 'or plain.can_end(last_of(name)) end)', 'or true end)'],
  [
    'paths that end in a dot pass before a query in Lua',
    'return plain.can_end(last) and END_OF_PATH',
    'return END_OF_PATH',
  ],
  ['a slash hides a literal in Lua', '(is_end(name) or last_of(name) == SLASH)', 'is_end(name)'],
  ['a quotation mark in a value passes in Lua', 'ambiguous_in_value[lshift(first, 8) + QUOTE] = 1', ''],
  ['a plus before a slash passes in Lua', 'ambiguous_in_value[lshift(PLUS, 8) + SLASH] = 1', ''],
  ['a plus at the end of a value passes in Lua', 'code ~= PLUS and ', ''],
  [
    'a pair with several readings passes in Lua',
    'ambiguous_in_value[lshift(last, 8) + code] == 0 and part_behind(part, code)',
    'part_behind(part, code)',
  ],
  ['values that end in a dot pass before an ampersand in Lua', 'return can_end_value[last] and 0 or nil', 'return 0'],
  ['queries that end in a dot pass in Lua', 'return can_end_value[last_of(name)] end)', 'return true end)'],
  ['the key file passes before a value in Lua', ' and part ~= #FILE and part < VALUE', ' and part < VALUE'],
  ['lists in the key file pass in Lua', '(code == OPENING or code == CLOSING)', 'false'],
  ['blanks before the key file pass in Lua', 'part == 0 and can_name_file[code] or ', ''],
  [
    'text outside of strings passes in the loop in Lua',
    'or is_outside_of_strings[code] and OUTSIDE or nil',
    'or OUTSIDE',
  ],
  ['strings that end in a dot pass in Lua', 'return can_end_value[last] and OUTSIDE or nil', 'return OUTSIDE'],
  [
    'a string with several readings passes in Lua',
    'return ambiguous_in_value[lshift(last, 8) + code] == 0 and classes[code] or nil',
    'return classes[code]',
  ],
  ['a string without an end passes in the loop in Lua', 'return name == OUTSIDE end)', 'return true end)'],
  ['base64 in URLs passes in Lua', 'is_long and band(rshift(name, 6), 7) ~= 6 and 1 or 0', '0'],
  ['base64 of JSON passes in the loop in Lua', 'count == 1 and starts_json[lshift(bits, 6) + value]', 'false'],
]);

const luaSkim = mutantsOf('module/lua/guard/engine/skim.lua', [
  [
    'a literal of a text passes in Lua',
    'bor(hits, is_end[literal], band(is_end_before_end[ended], checked_of[state]),',
    'bor(hits, band(is_end_before_end[ended], checked_of[state]),',
  ],
  [
    'a literal at the end of a value passes in the loop in Lua',
    'band(is_end_before_end[ended], checked_of[state])',
    '0',
  ],
  ['base64 in a value passes in the loop in Lua', 'band(is_base64[code64], bnot(kept))', '0'],
  [
    'a literal at the end of a text passes in Lua',
    'bor(automaton.is_end_before_end[literal], is_base64[code64])',
    'is_base64[code64]',
  ],
  [
    'base64 at the end of a text passes in Lua',
    'bor(automaton.is_end_before_end[literal], is_base64[code64])',
    'automaton.is_end_before_end[literal]',
  ],
  [
    'a value hides the literal at the start of the next one in Lua',
    'literal = bor(band(literal, kept), band(start, bnot(kept)))',
    '',
  ],
  [
    'a literal of a pair as sent passes in Lua',
    'bor(hits, is_end[literal], band(is_end_before_end[ended], may_end[code]))',
    'bor(hits, band(is_end_before_end[ended], may_end[code]))',
  ],
  [
    'a literal at the end of a value as sent passes in Lua',
    'bor(hits, is_end[literal], band(is_end_before_end[ended], may_end[code]))',
    'bor(hits, is_end[literal])',
  ],
  [
    'a literal at the end of a query as sent passes in Lua',
    'may_end[code]))\n        literal = bor(band(literal, bnot(separator)), band(start, separator))\n    end\n    return bor(hits, is_end_before_end[literal]) == 0',
    'may_end[code]))\n        literal = bor(band(literal, bnot(separator)), band(start, separator))\n    end\n    return hits == 0',
  ],
  [
    'a value as sent hides the literal at the start of the next one in Lua',
    'literal = bor(band(literal, bnot(separator)), band(start, separator))',
    '',
  ],
  [
    'a literal of a whole query passes in Lua',
    'hits = bor(hits, is_end[literal], is_escaped[code])',
    'hits = bor(hits, is_escaped[code])',
  ],
]);

const luaEscapes = mutantsOf('module/lua/guard/engine/escapes.lua', [
  ['separators with escapes count as separators in Lua', '_M.SEPARATOR, _M.SEPARATOR, _M.ESCAPE', '0, 0, _M.ESCAPE'],
  [
    'text with two rounds of escapes passes in Lua',
    '_M.SEPARATOR, _M.SEPARATOR, _M.ESCAPE',
    '_M.SEPARATOR, _M.SEPARATOR, 0',
  ],
]);

const luaValues = mutantsOf('module/lua/guard/engine/value_prefilter.lua', [
  ['values that end in a dot pass in Lua', 'not can_end[last] or ', ''],
  ['base64 in a value passes in Lua', ' or is_base64(decoded, size)', ''],
  ['base64 of JSON in a value passes in Lua', ' or may_be_json(decoded, size)', ''],
  ['a value with several readings passes in Lua', ' or ambiguous[lshift(last, 8) + code] == 1', ''],
  ['a literal of an encoded value passes in Lua', 'hits = hits + is_end[raw_state]\n', '\n'],
  ['a literal of a decoded value passes in Lua', 'hits = hits + is_end[decoded_state]\n', '\n'],
  [
    'a literal at the end of a value passes in Lua',
    'hits + is_end[next_state[lshift(raw_state, ROW_BITS) + stop]]\n        + ',
    'hits + ',
  ],
  [
    'a literal at the end of a decoded value passes in Lua',
    ' + is_end[next_state[lshift(decoded_state, ROW_BITS) + stop]]\n',
    '\n',
  ],
  [
    'a final slash of a value hides a literal in Lua',
    'is_end[next_state[lshift(raw_state_before, ROW_BITS) + stop]]\n            + ',
    '',
  ],
  [
    'a final slash of a decoded value hides a literal in Lua',
    ' + is_end[next_state[lshift(decoded_state_before, ROW_BITS) + stop]]',
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
  ['a literal of a text as sent passes in Lua', 'return is_clean and not skim', 'return not skim'],
  ['decoded separators pass in Lua', 'not decoded_bytes or meanings ~= 0', 'not decoded_bytes'],
  ['the key file passes in Lua', 'return nil -- file=', 'at = at + 0 -- file='],
  [
    'text outside of strings passes in Lua',
    '[code] then\n            return false, 0',
    '[code] then\n            return true, 0',
  ],
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

const goPassed = mutantsOf('module/engine/passed.go', [
  ['all targets with one hash pass', 'isKept && kept == target', 'isKept && kept != ""'],
  [
    'a target without rules for its method passes',
    ' && r.Method == http.MethodGet',
    ' && r.Method != "" && http.MethodGet != ""',
  ],
  ['a rewritten target passes', ' && !r.HasRewritten', ''],
  ['a body passes', 'len(e.request.Body) > 0 || ', ''],
  ['an inspected header passes', 'valuesIn(e.request.Header)) > 0', 'valuesIn(e.request.Header)) > 99'],
  ['a suspect line passes', 'e.lineSuspects.Next(0) < 0', 'true'],
  ['a target that an allow rule excused passes', 'e.excusedBy == nil && ', ''],
  ['a target of a rule for another method passes', ' && !e.isConditional', ''],
  ['a target of an exception passes', ' && e.excepted == nil', ''],
  ['a target of an excused rule passes', ' && len(e.request.Excused) == 0', ''],
]);

export const goPrefilters: readonly Mutant[] = [
  ...goTargets,
  ...goTargetLiterals,
  ...goRules,
  ...goLines,
  ...goPassed,
  ...goExploits,
  ...goValues,
  ...goBodies,
  ...interpretedPatterns,
  ...interpretedReadings,
  ...interpretedXml,
];
export const luaPrefilters: readonly Mutant[] = [
  ...luaRules,
  ...luaTargets,
  ...luaExploits,
  ...luaShapes,
  ...luaSkim,
  ...luaEscapes,
  ...luaValues,
  ...luaBodies,
];
