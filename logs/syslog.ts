/** Removes the header that a syslog daemon writes before a message, in its old form, that of RFC 3339 and that of RFC 5424. */
export interface SyslogMessage {
  readonly program: string;
  readonly message: string;
}

const { raw } = String;

const time = raw`(?:[A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)?)`;
const pid = raw`(?:\[\d{1,10}\])?`;
/** Solaris writes the number of the message and its priority. */
const label = raw`(?:\[ID \d{1,10} [a-z0-9]{1,16}\.[a-z]{1,16}\] )?`;

/**
 * `Nov 29 17:08:19 host sshd[123]: `, or `2026-11-29T17:08:19.123456+00:00 host sshd[123]: `. A line of Dovecot's own log
 * has no host: `Nov 29 17:08:19 imap-login: Info: `. A host that begins with a bracket is a program of metalog.
 */
const header = new RegExp(raw`^${time} (?!\[)[!-~]{0,254}[!-9;-~] ([!-~]{1,64}?)${pid}: ${label}`);

/** Without a host: `Nov 29 17:08:19 sshd[123]: `, or that of metalog: `Nov 29 17:08:19 [sshd] `. */
const shortHeader = new RegExp(raw`^${time} (?:([!-Z\\-~]{1,64}?)${pid}:|\[([!-Z\\^-~]{1,64})\]:?) `);

/** RFC 5424: `<38>1 2026-11-29T17:08:19.123456+00:00 host sshd 123 - [id key="value"] `. */
const structured = new RegExp(
  raw`^<\d{1,3}>1 [!-~]{1,64} [!-~]{1,255} ([!-~]{1,48}) [!-~]{1,128} [!-~]{1,32} (?:-|(?:\[(?:[^\]"\\]|"(?:[^"\\]|\\.)*")*\])+) `,
);

/** The time that multilog of daemontools writes before each line (TAI64N). */
export const multilogTime = /^@[0-9a-f]{24} /;

/**
 * Returns undefined for a line without such a header. The program has the folder of postfix: `postfix/smtpd`.
 * @param programs those whose header may have no host: the log of a server can look like one
 */
export function readSyslog(line: string, programs: readonly string[]): SyslogMessage | undefined {
  const framed = structured.exec(line);
  if (framed) return { program: framed[1] as string, message: line.slice(framed[0].length) };
  const short = shortHeader.exec(line);
  const name = short?.[1] ?? short?.[2];
  if (short && name !== undefined && programs.includes(name))
    return { program: name, message: line.slice(short[0].length) };
  const found = header.exec(line);
  return found ? { program: found[1] as string, message: line.slice(found[0].length) } : undefined;
}
