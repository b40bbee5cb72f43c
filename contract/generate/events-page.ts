/** Generates the tables and the example lines of docs/events.md. */
import { eventExamples } from '../events/examples.ts';
import {
  auditExtras,
  auditMembers,
  bodyMembers,
  eventLines,
  requestMembers,
  summaryMembers,
} from '../events/members.ts';
import type { Property } from './docs.ts';
import { inlineCode, table } from './markdown.ts';

function formText(property: Property): string {
  const { type, const: only, enum: choices, examples, minimum, maximum, maxLength, maxItems, maxProperties } = property;
  const listed = only === undefined ? (choices ?? examples) : [only];
  if (listed) return listed.map((one) => inlineCode(String(one))).join(', ');
  if (type === 'string') return maxLength === undefined ? 'RFC 3339' : `text, at most ${maxLength} bytes`;
  if (type === 'array') return `list of at most ${maxItems}`;
  if (type === 'object') return `object of at most ${maxProperties}`;
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? `${type} from ${minimum}`
    : `${minimum} to ${maximum}`;
}

/** A member that decides what a line counts for is marked. */
const memberTable = (rows: object, deciding: readonly string[]) => (): string =>
  table(
    ['member', 'form', '', 'meaning'],
    Object.entries(rows).flatMap(([name, row]: [string, Property]) => [
      [inlineCode(name), formText(row), deciding.includes(name) ? 'decides' : '', row.description ?? ''],
      ...Object.entries(row.items?.properties ?? {}).map(([inner, property]) => [
        inlineCode(`${name}[].${inner}`),
        formText(property),
        '',
        property.description ?? '',
      ]),
    ]),
  );

const exampleOf = (example: object) => (): string => `\`\`\`json\n${JSON.stringify(example)}\n\`\`\``;

const { guard_block: request, guard_block_summary: summary, security_event: audit } = eventLines;

export const eventTables = {
  'event-example': exampleOf(eventExamples.blocked),
  event: memberTable(requestMembers, request.deciding),
  'body-example': exampleOf(eventExamples.detected),
  body: memberTable(bodyMembers, request.deciding),
  'summary-example': exampleOf(eventExamples.summary),
  summary: memberTable(summaryMembers, summary.deciding),
  'audit-example': exampleOf(eventExamples.audit),
  audit: memberTable({ ...auditMembers, ...auditExtras }, audit.deciding),
  'fault-example': exampleOf(eventExamples.fault),
} as const;
