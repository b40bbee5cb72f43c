/** Sends one message to one target. */
import { spawn } from 'node:child_process';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { escapeForJson, fillTemplate, type NoticeFields, type NoticeTarget } from '../../contract/daemon/notify.ts';
import { readReason } from '../../platform/regular-file.ts';

/** What a target is called in messages: without paths, queries and headers, which have tokens. */
export function targetName({ url, ntfy, sendmail }: NoticeTarget): string {
  const address = url ?? ntfy;
  return address === undefined ? `sendmail ${sendmail}` : new URL(address.replaceAll(/[{}]/g, '')).host;
}

async function sendOverHttp(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
) {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(daemonBounds.noticeMs)]);
  const response = await fetch(url, { method, headers, body, redirect: 'error', signal: bounded }).catch(
    (error: Error) => {
      throw error.name === 'TimeoutError' ? new Error('no response') : new Error(causeOf(error));
    },
  );
  await response.body?.cancel();
  if (!response.ok) throw new Error(`status ${response.status}`);
}

/** The cause of a failed fetch, whose own message says nothing. It has addresses, and no paths. */
const causeOf = ({ cause, message }: Error): string => {
  const { code, message: reason = message } = (cause ?? {}) as Partial<NodeJS.ErrnoException>;
  return code ?? reason;
};

/** Rejects with why the program did not accept the mail. */
export function sendMail(
  program: string,
  recipient: string,
  { title, text }: NoticeFields,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const mail = spawn(program, ['-i', recipient], {
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: daemonBounds.noticeMs,
      killSignal: 'SIGKILL',
      signal,
    });
    mail.on('error', (error) => reject(new Error(`cannot start ${program}: ${readReason(error)}`)));
    if (mail.pid === undefined) return; // it did not start: without a free descriptor it has no streams
    mail.on('close', (status, killed) =>
      status === 0 ? resolve() : reject(new Error(killed ? 'it did not end in time' : `status ${status}`)),
    );
    mail.stdin.on('error', () => {}); // it ended before it had read the mail: its status says why
    mail.stdin.end(`To: ${recipient}\nSubject: ${title}\nContent-Type: text/plain; charset=utf-8\n\n${text}\n`);
  });
}

/** Rejects with what prevented it, without secrets. */
export function sendNotice(target: NoticeTarget, fields: NoticeFields, signal: AbortSignal): Promise<void> {
  const { url, ntfy, sendmail, headers = {}, method, template } = target;
  if (url !== undefined) {
    const address = fillTemplate(url, fields, encodeURIComponent);
    const body = fillTemplate(template, fields, escapeForJson);
    return sendOverHttp(address, method, { 'Content-Type': 'application/json', ...headers }, body, signal);
  }
  if (ntfy !== undefined) return sendOverHttp(ntfy, 'POST', { Title: fields.title, ...headers }, fields.text, signal);
  return sendMail(daemonBounds.sendmailPath, sendmail ?? 'root', fields, signal);
}
