/** Removes the header that a syslog daemon writes before a message, in its old form and that of RFC 3339. */
export interface SyslogMessage {
  readonly program: string;
  readonly message: string;
}

/**
 * `Nov 29 17:08:19 host sshd[123]: `, or `2026-11-29T17:08:19.123456+00:00 host sshd[123]: `. A line of Dovecot's own log
 * has no host: `Nov 29 17:08:19 imap-login: Info: `.
 */
const header =
  /^(?:[A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)?) [!-~]{0,254}[!-9;-~] ([!-~]{1,64}?)(?:\[\d{1,10}\])?: /;

/** Returns undefined for a line without such a header. The program has the folder of postfix: `postfix/smtpd`. */
export function readSyslog(line: string): SyslogMessage | undefined {
  const found = header.exec(line);
  return found ? { program: found[1] as string, message: line.slice(found[0].length) } : undefined;
}
