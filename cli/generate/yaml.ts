/**
 * YAML that means the same to YAML 1.1 and 1.2, to a reader that runs Go templates over it first, and to one that resolves
 * more words than either version says: what is not plainly a word is quoted.
 */
import { Document, type DocumentOptions, type Node, Scalar, type SchemaOptions, visit } from 'yaml';

/** Words, paths and durations: nothing a reader could take for a number, a date or a merge. */
const word = /^(?:[A-Za-z/][A-Za-z0-9_.+/-]*|(?:\d+(?:ms|[smhd]))+)$/;
/** Words that stand for something else in one version or the other. */
const reserved = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
/** Signs and letters of any script; what a reader refuses or an editor would act on is not among them. */
const unprintable = /[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/u;
const unprintableLines = /[^ \n\p{L}\p{M}\p{N}\p{P}\p{S}]/u;
const template = '{{';

/** How a text is written. The longest forms are for texts that the shorter ones cannot carry. */
function styleOf(text: string): Scalar.Type {
  if (word.test(text) && !reserved.test(text)) return Scalar.PLAIN;
  if (text.includes(template)) return Scalar.QUOTE_DOUBLE;
  if (!unprintable.test(text)) return Scalar.QUOTE_SINGLE;
  return /^\S/.test(text) && !unprintableLines.test(text) ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE;
}

const options: DocumentOptions & SchemaOptions = { version: '1.2' };

/** `value` as a document, of which each text has its style. */
export function yamlDocument(value: unknown): Document<Node> {
  const document = new Document<Node>(value, options);
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string') node.type = styleOf(node.value);
    },
  });
  return document;
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** What a reader refuses, or takes for a line break, even between double quotes, where alone it can stand. */
const unreadable = /[\u007f-\u00a0\u2028\u2029\ufeff]/g;

/** The text of a document, with its final newline. */
export function yamlText(document: Document<Node>): string {
  const text = document.toString({ lineWidth: 0, singleQuote: true, doubleQuotedMinMultiLineLength: Infinity });
  return text.replaceAll(template, '{\\x7b').replace(unreadable, escaped);
}
