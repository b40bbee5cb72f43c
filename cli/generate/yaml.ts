/**
 * Writes YAML that all readers parse identically, also after Go templates ran over it. Quotes all texts except plain
 * words and blocks of lines.
 */
import {
  type CreateNodeOptions,
  Document,
  type DocumentOptions,
  type Node,
  Scalar,
  type SchemaOptions,
  visit,
} from 'yaml';
import { escapeQuoted, templateStart, unprintable } from './printable.ts';

/** Words that no reader parses as a number, a date or a merge. */
const plainWord = /^(?:[A-Za-z/][A-Za-z0-9_.+/-]*|(?:\d+(?:ms|[smhd]))+)$/;
/** Words that a version of YAML parses as another type. */
const reservedWord = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/** Like `unprintable`, for a text of several lines, which may be indented with tabs. */
const unprintableLines = /[^ \n\t\p{L}\p{M}\p{N}\p{P}\p{S}]/u;

/**
 * Returns the style of quotes for a text. A text with the start of a template needs double quotes, because only they
 * have escapes.
 */
function styleOf(text: string): Scalar.Type {
  if (plainWord.test(text) && !reservedWord.test(text)) return Scalar.PLAIN;
  if (text.includes(templateStart)) return Scalar.QUOTE_DOUBLE;
  if (!unprintable.test(text)) return Scalar.QUOTE_SINGLE;
  return /^\S/.test(text) && !unprintableLines.test(text) ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE;
}

/** Writes no anchors and aliases, which hide the value of a key from people. */
const documentOptions: DocumentOptions & SchemaOptions & CreateNodeOptions = {
  version: '1.2',
  aliasDuplicateObjects: false,
};

/** Creates a YAML document, and chooses the quoting style of each text. */
export function yamlDocument(value: unknown): Document<Node> {
  const document = new Document<Node>(value, documentOptions);
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string') node.type = styleOf(node.value);
    },
  });
  return document;
}

/** Writes a document as text. Only double-quoted text contains escapes. */
export function yamlText(document: Document<Node>): string {
  const style = { lineWidth: 0, singleQuote: true, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY };
  return escapeQuoted(document.toString(style));
}
