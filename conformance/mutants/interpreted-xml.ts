import { type Mutant, mutantsOf } from './mutant.ts';

const xml = mutantsOf('module/engine/interpreted/xml_values.go', [
  ['literals of declarations are not found', '$)|(` + xmlOpen', '$)|` + xmlOpen + `!` + xmlInTag + `|(` + xmlOpen'],
  ['references in CDATA are decoded', 'return strings.ReplaceAll(section, "&", "&amp;")', 'return section'],
  ['values in single quotes are not found', '"\\n${1}${2}${3}"', '"\\n${1}${2}"'],
  [
    'a byte order mark is text',
    'xmlMarked.Replace(strings.TrimPrefix(body, engine.ByteOrderMark))',
    'xmlMarked.Replace(body)',
  ],
  ['only short references are decoded', 'if strings.Contains(lines, "&#") {', 'if false {'],
  ['what is decoded is decoded again', 'return xmlAmpersand\n', 'return "&"\n'],
  ['a NUL is clear', 'if strings.Contains(body, "\\x00") || ', 'if '],
  ['a tag that is not clear is clear', 'strings.Contains(other, "<") || ', ''],
  ['every encoding is known', '!engine.IsASCIICharset(found[1])', 'found == nil'],
  ['blanks at the ends of values are kept', 'return xmlEnds.ReplaceAllLiteralString(lines, "")', 'return lines'],
  ['vertical tabs are marks', '"\\v", xmlTab, "<"', '"<"'],
  ['line feeds in values stay marks', 'all[i] = lineEndRestorer.Replace(value)', 'all[i] = value'],
]);

const joined = mutantsOf('module/engine/interpreted/xml_texts.go', [
  ['empty elements stay open', '!strings.HasSuffix(line, "/>") && ', ''],
  ['declarations stay open', ' && !strings.HasPrefix(line, " "+xmlOpen+"!")', ''],
  ['marks count towards the limit', 'xmlWithoutMarks.Replace(line[1:])', 'line[1:]'],
]);

export const interpretedXml: readonly Mutant[] = [...xml, ...joined];
