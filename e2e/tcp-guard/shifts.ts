/**
 * Clients that guess passwords, and attacks that make a server send more or fewer replies than an inspector expects.
 */
import { connect } from 'node:net';
import { user, wrong } from '../../conformance/servers/server.ts';
import { until } from '../../platform/testing/until.ts';

export interface Attack {
  readonly name: string;
  /**
   * Steps at the start of each connection, in Latin-1. Each step waits for a reply or for the end of the connection.
   */
  readonly opening?: readonly string[];
  /** Steps of one guess. `TAG` is replaced by a new IMAP tag. */
  readonly guess: readonly string[];
  /** The attack hides no guess: each must reach the server. */
  readonly hidesNoGuess?: true;
}

type MailOrFiles = 'ftp' | 'pop3' | 'imap' | 'smtp';

interface Dialogue {
  /** Matches the last line of a reply. */
  readonly replies: RegExp;
  /** Matches replies to wrong passwords. */
  readonly refusals: RegExp;
  readonly attacks: readonly Attack[];
}

const plainCredentials = Buffer.from(`\0${user}\0${wrong}`).toString('base64');
/** Guesses for vsftpd, where only the anonymous user can log in. */
const anonymousGuess = ['USER anonymous\r\n', `PASS ${wrong}\r\n`];
const passwordGuess = [`USER ${user}\r\n`, `PASS ${wrong}\r\n`];
const [hello, auth] = ['EHLO a.example\r\n', `AUTH PLAIN ${plainCredentials}\r\n`];
const login = `TAG LOGIN ${user} ${wrong}\r\n`;
const mail = [hello, 'MAIL FROM:<a@b.example>\r\n', `RCPT TO:<${user}@localhost>\r\n`, 'DATA\r\n'];
const longText = (bytes: number) => 'x'.repeat(bytes);

/** Bytes that servers interpret differently. */
const fillers = {
  'line feed alone': 'NOOP\nNOOP\r\n',
  'carriage return alone': 'NOOP\rNOOP\r\n',
  NUL: 'NOOP\0NOOP\r\n',
  'long line': `NOOP ${longText(5000)}\r\n`,
};
const behindFillers = (guess: readonly string[], first: readonly string[] = []): Attack[] =>
  Object.entries(fillers).map(([name, filler]) => ({ name, opening: [...first, filler], guess }));

const endsOfMail = ['\n.\n', '\n.\r\n', '\n.\r\r\n', '\r\n.\n', '\r\n.\r\r\n', '\r.\r\n'];

const dialogues: Readonly<Record<MailOrFiles, Dialogue>> = {
  ftp: {
    replies: /^\d{3} [^\n]*\n/gm,
    refusals: /530 .*(?:incorrect|[Aa]uthentication failed|not allowed)/g,
    attacks: [
      { name: 'one by one', guess: anonymousGuess, hidesNoGuess: true },
      { name: 'pipelined', guess: [anonymousGuess.join('')], hidesNoGuess: true },
      ...behindFillers(anonymousGuess),
      { name: 'password behind a long line', guess: ['USER anonymous\r\n', longText(2049), 'PASS guess\r\n'] },
      { name: 'negotiation of Telnet', guess: ['USER anonymous\r\n', 'PASS guess\xff\xfb\x01\r\n'] },
      { name: 'AUTH TLS first', opening: ['AUTH TLS\r\n'], guess: anonymousGuess },
    ],
  },
  pop3: {
    replies: /^[+-][^\n]*\n/gm,
    refusals: /^-ERR .*[Aa]uthentication failed/gm,
    attacks: [
      { name: 'one by one', guess: passwordGuess, hidesNoGuess: true },
      { name: 'AUTH', guess: ['AUTH PLAIN\r\n', `${plainCredentials}\r\n`] },
      { name: 'AUTH canceled', guess: ['AUTH PLAIN\r\n', '*\r\n', ...passwordGuess] },
      ...behindFillers(passwordGuess),
      { name: 'STLS first', opening: ['STLS\r\n'], guess: passwordGuess },
    ],
  },
  imap: {
    replies: /^(?:t\d+ |\+|\* BAD)[^\n]*\n/gm,
    refusals: /^t\d+ NO .*(?:LOGIN failed|Authentication failed)/gm,
    attacks: [
      { name: 'one by one', guess: [login], hidesNoGuess: true },
      ...behindFillers([login], []).map(({ opening = [], ...row }) => ({
        ...row,
        opening: opening.map((line) => `t0 ${line}`),
      })),
      { name: 'one tag', guess: ['TAG NOOP\r\nTAG LOGIN probe guess\r\n'] },
      { name: 'STARTTLS under the tag of NOOP', opening: ['TAG NOOP\r\nTAG STARTTLS\r\n'], guess: [login] },
      { name: 'literal inside an atom', guess: [`TAG NOOP x{26+}\r\n${login}`] },
      { name: 'literal inside a string', guess: [`TAG LOGIN "${user} {26+}\r\n${login}`] },
    ],
  },
  smtp: {
    replies: /^\d{3} [^\n]*\n/gm,
    refusals: /^535 /gm,
    attacks: [
      { name: 'one by one', opening: [hello], guess: [auth], hidesNoGuess: true },
      {
        name: 'in two steps',
        opening: [hello],
        guess: ['AUTH PLAIN\r\n', `${plainCredentials}\r\n`],
        hidesNoGuess: true,
      },
      ...behindFillers([auth], [hello]),
      { name: 'STARTTLS first', opening: [hello, 'STARTTLS\r\n'], guess: [auth] },
      { name: 'size of more than 32 bits', opening: [hello], guess: ['BDAT 4294967297\r\n', auth] },
      ...endsOfMail.map((end) => ({
        name: `end of a mail ${JSON.stringify(end)}`,
        opening: mail,
        guess: [`x${end}${auth}`],
      })),
    ],
  },
};

export const attackedProtocols = Object.keys(dialogues);
export const attacksOn = (protocol: string): readonly Attack[] => dialogues[protocol as MailOrFiles].attacks;

let tagCount = 0;

/** Sends the steps one after another. Returns everything that the server sent. */
async function talk(port: number, replies: RegExp, steps: readonly string[], onDone: () => void): Promise<string> {
  let [text, isOver] = ['', false];
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  socket.on('data', (part: string) => {
    text += part;
  });
  socket
    .on('error', () => {})
    .on('close', () => {
      isOver = true;
    });
  const count = () => text.match(replies)?.length ?? 0;
  await until(() => text.includes('\n') || isOver, 'a greeting');
  for (const step of steps) {
    if (isOver) break;
    const before = count();
    socket.write(step, 'latin1');
    await until(
      () => count() > before || isOver,
      () => `a reply to ${JSON.stringify(step.slice(0, 60))}: ${text}`,
    );
    onDone();
  }
  socket.end();
  await until(() => isOver, 'the end of a connection');
  return text;
}

/** Sends guesses. Reconnects when a connection ends. Returns the numbers of refusals and of connections. */
export async function guess(
  port: number,
  protocol: string,
  { opening = [], guess: steps, hidesNoGuess }: Attack,
  guesses: number,
): Promise<{ readonly refusals: number; readonly connections: number }> {
  const { replies, refusals } = dialogues[protocol as MailOrFiles];
  let [seen, connections, left] = [0, 0, guesses];
  while (left > 0 && connections < guesses) {
    const rest = Array.from({ length: left }, () => {
      tagCount += 1;
      return steps.map((step) => step.replaceAll('TAG', `t${1000 + tagCount}`));
    });
    let done = 0;
    const all = [...opening.map((step) => step.replaceAll('TAG', 't1')), ...rest.flat()];
    const text = await talk(port, replies, all, () => {
      done += 1;
    });
    connections += 1;
    const refused = text.match(refusals)?.length ?? 0;
    seen += refused;
    // A server may close the connection after some refusals, while the next guess is under way.
    left -= hidesNoGuess ? refused : Math.max(1, Math.floor((done - opening.length) / steps.length));
  }
  return { refusals: seen, connections };
}
