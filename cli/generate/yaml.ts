/**
 * YAML that means the same to YAML 1.1 and 1.2, to a reader that runs Go templates over it first, and to one that resolves
 * more words than either version says: what is not plainly a word is quoted.
 */
import { Document, type DocumentOptions, type Node, Scalar, type SchemaOptions, visit } from 'yaml';
import { escaped, template } from './printable.ts';

/** Words, paths and durations: nothing a reader could take for a number, a date or a merge. */
const word = /^(?:[A-Za-z/][A-Za-z0-9_.+/-]*|(?:\d+(?:ms|[smhd]))+)$/;
/** Words that stand for something else in one version or the other. */
const reserved = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/** Signs and letters of any script are printable; what a reader refuses or an editor would act on is not. */
const unprintable = /[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/u;
/** The same, where text may have lines. */
const unprintableLines = /[^ \n\p{L}\p{M}\p{N}\p{P}\p{S}]/u;

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

/** The text of a document, with its final newline. What has to be escaped stands between double quotes alone. */
export function yamlText(document: Document<Node>): string {
  const style = { lineWidth: 0, singleQuote: true, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY };
  return escaped(document.toString(style));
}
