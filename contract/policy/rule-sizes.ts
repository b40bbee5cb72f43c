/** Sizes of the set of built-in rules: the second contains the first. */
export const ruleSizes = ['standard', 'extended'] as const;
export type RuleSize = (typeof ruleSizes)[number];
