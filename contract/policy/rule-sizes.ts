/** The second set contains the first. */
export const ruleSizes = ['standard', 'extended'] as const;
export type RuleSize = (typeof ruleSizes)[number];
