/** JSON Schemas of the lines. They are open: later versions append members. */
import { bodyMembers, eventLines, eventVersion, faultMembers, requestMembers } from './members.ts';

export const lineSchema = ({ members, extras }: { readonly members: object; readonly extras: object }) => ({
  type: 'object',
  properties: { ...members, ...extras },
  required: Object.keys(members),
});

/** The schema of one line of any kind. */
export const eventJsonSchema = () => ({
  title: `events, version ${eventVersion}`,
  description: 'A line of an event file of a guard, or of the audit file of tcp-guard.',
  oneOf: ['event', 'summary', 'audit', 'fault'].map((name) => ({ $ref: `#/$defs/${name}` })),
  $defs: {
    event: {
      ...lineSchema({ members: requestMembers, extras: bodyMembers }),
      dependentRequired: { overflow: Object.keys(bodyMembers) },
    },
    summary: lineSchema(eventLines.guard_block_summary),
    audit: lineSchema(eventLines.security_event),
    fault: lineSchema({ members: faultMembers, extras: {} }),
  },
});
