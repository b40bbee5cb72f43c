/** Modes of a policy and of bans. `detect`: what would be refused is only reported. */
export const policyModes = ['enforce', 'detect'] as const;
