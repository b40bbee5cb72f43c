/** Kinds of warnings about valid files. The names are stable. */
export const warningKinds = [
  'matches_everything',
  'shadowed', // one rule or entry makes another one ineffective
  'no_effect', // set, but ignored
  'backtracking', // a pattern that nginx refuses
  'glob', // a shell glob instead of a regular expression
  'everyone', // a list of addresses contains all addresses
  'old_preset', // the networks of a preset may have changed since
  'private_proxies', // every host of the own network can claim any address
  'every_host', // an application without hosts in a policy with hosts
  'disabled',
  'detect',
  'get_only',
  'unknown_method', // probably a typing error: the method that was meant is not inspected
  'unusual_methods', // GET, HEAD and POST are not inspected
  'home_folder', // a path with ~, which only a shell replaces
  'no_block_rules', // no block rule is active
  'body_overflow', // bodies pass although a part was not inspected
  'ban_list', // a ban list that cannot be read or is damaged
  'challenge_only', // a captcha that is not verified
  'process_secret', // each process generates its key, so replicas have different keys
  'abrupt_close', // a dropped connection that a proxy turns into a response
  'blocked_redirect',
  'no_services',
  'idle_bans', // the bans of logs hold nowhere
  'no_format', // the log of a server that is read as events of a guard
  'probable_bans',
  'clear_text',
  'passive_ftp', // data connections do not pass tcp-guard
  'replaced', // a value of an older version, which has another name now
] as const;
export type WarningKind = (typeof warningKinds)[number];
