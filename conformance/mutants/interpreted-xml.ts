/** Mutants of the XML reader of the interpreted engine. */
import { type Mutant, mutantsOf } from './mutant.ts';

const xml = mutantsOf('module/engine/xmltexts.go', [
  ['literals of declarations are not found', '$)|(` + xmlOpen', '$)|` + xmlOpen + `!` + xmlInTag + `|(` + xmlOpen'],
  ['references in CDATA are decoded', 'return strings.ReplaceAll(section, "&", "&amp;")', 'return section'],
  ['values in single quotes are not found', '"\\n${1}${2}${3}"', '"\\n${1}${2}"'],
  [
    'a byte order mark is text',
    'xmlMarked.Replace(strings.TrimPrefix(body, byteOrderMark))',
    'xmlMarked.Replace(body)',
  ],
  ['only short references are decoded', 'if strings.Contains(lines, "&#") {', 'if false {'],
  ['what is decoded is decoded again', 'return xmlAmpersand\n', 'return "&"\n'],
  ['a NUL is clear', 'if strings.Contains(body, "\\x00") || ', 'if '],
  ['a tag that is not clear is clear', 'strings.Contains(other, "<") || ', ''],
  ['every encoding is known', '!has(asciiCharsets, lower(found[1]))', 'found == nil'],
  ['blanks at the ends of values are kept', 'len(lines) == before {', 'len(lines) <= before {'],
  ['vertical tabs are marks', '"\\v", xmlTab, "<"', '"<"'],
  ['line feeds in values stay marks', 'values[i] = fromLine.Replace(value)', 'values[i] = value'],
]);

const xmlLines = mutantsOf('module/engine/xmllines.go', [
  ['texts are not scanned', 'xmlTagLine.ReplaceAllLiteralString(structured, "")', '""'],
  ['values in single quotes are not scanned', '"\\n${1}${2}"', '"\\n${1}"'],
  [
    'tags without double quotes have no values',
    'strings.ContainsAny(structured, `"\'`)',
    'strings.Contains(structured, `"`)',
  ],
]);

const joined = mutantsOf('module/engine/xmljoined.go', [
  ['blank texts count', 'xmlBlankTexts.ReplaceAllString(lines, "\\r${1}")', 'lines'],
  ['bytes of a body are marks', 'if strings.ContainsAny(lines, xmlOutlineMarks) {', 'if false {'],
  ['a text before a declaration is alone', '[` + xmlAStart + xmlADeclaration + `]|[', '[` + xmlAStart + `]|['],
  ['a text behind a declaration is alone', 'xmlAnEnd + xmlADeclaration + xmlAnEmptyEnd', 'xmlAnEnd + xmlAnEmptyEnd'],
  [
    'a text behind an empty element is alone',
    'xmlAnEnd + xmlADeclaration + xmlAnEmptyEnd',
    'xmlAnEnd + xmlADeclaration',
  ],
  [
    'a text that looks like the end of an empty element is one',
    'strings.ReplaceAll(outline, xmlAText+xmlAnEmptyEnd, xmlAText)',
    'outline',
  ],
  ['two texts are not joined', 'if node.filled > 1 {', 'if node.filled > 2 {'],
  ['one inner text is not joined', '> node.filled {', '> node.filled+1 {'],
  ['open elements are not joined', 'for len(j.open) > 0 {', 'for len(j.open) > 1 {'],
  ['empty elements stay open', '!strings.HasSuffix(line, "/>") && ', ''],
  ['declarations stay open', ' && !strings.HasPrefix(line, " "+xmlOpen+"!")', ''],
  ['each text has the whole limit', 'j.used += size', 'j.used = size'],
  ['marks count towards the limit', '-strings.Count(whole, "\\v")', ''],
]);

export const interpretedXml: readonly Mutant[] = [...xml, ...xmlLines, ...joined];
