import rows from '../generated/applications.json' with { type: 'json' };

/** Names of the profiles. The schema needs only them. */
export const applicationNames: readonly string[] = rows.map(({ name }) => name);
