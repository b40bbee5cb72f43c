/** Kinds of what is valid in a file and still worth a look. Stable. */
export const warningKinds = [
  'matches_everything',
  'shadowed', // another rule or entry always comes first
  'no_effect', // set, and read by nothing
  'backtracking', // a pattern that nginx refuses
  'glob', // a pattern of a shell where a regular expression is meant
  'everyone', // a list of addresses has all of them
  'disabled',
  'detect',
  'get_only',
  'challenge_only', // a captcha that nobody checks
  'process_secret', // a key that each process makes for itself
  'abrupt_close', // a dropped connection that something in between turns into an answer
  'blocked_redirect',
  'no_services',
  'probable_bans',
  'clear_text',
] as const;
export type WarningKind = (typeof warningKinds)[number];
