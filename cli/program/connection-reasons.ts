/** System error codes of connections that cannot be made, in plain words. */
export const connectionReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOENT: 'no such socket',
  ENOTFOUND: 'no such host',
  EACCES: 'permission denied',
};
