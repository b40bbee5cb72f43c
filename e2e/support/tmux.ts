/** A terminal for tests: tmux, which draws what a program writes to it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../platform/until.ts';

/** Why tests with it cannot run here; false: they can. */
export const skip: string | false = spawnSync('tmux', ['-V']).status === 0 ? false : 'tmux is not installed';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface TmuxTerminal {
  /** What is on the screen. */
  readonly screen: () => string;
  /** The same with the escape sequences of its colors. */
  readonly colored: () => string;
  /** Keys by tmux's names, such as `Enter`; any other text is typed. */
  readonly press: (...keys: readonly string[]) => void;
  /** Types the text as its bytes. */
  readonly type: (text: string) => void;
  /** Pastes the text as a terminal does, marked if the program asked for that. */
  readonly paste: (text: string) => void;
  readonly resize: (size: Size) => void;
  /** A value of tmux about the terminal, such as `cursor_flag`. */
  readonly value: (name: string) => string;
  readonly shows: (text: string | RegExp) => Promise<void>;
  /** Every byte that the program wrote. The last ones are recorded after they are on the screen. */
  readonly bytes: () => string;
}

/** A test, or a program that removes the terminal itself. */
export interface Owner {
  readonly after: (end: () => void | Promise<void>) => void;
}

/** Starts a shell command in a terminal. */
export function openTerminal(t: Owner, line: string, { columns, rows }: Size): TmuxTerminal {
  const folder = mkdtempSync(join(tmpdir(), 'guard-tmux-'));
  const [server, log, script] = [`guard-${randomUUID()}`, join(folder, 'bytes'), join(folder, 'script.sh')];
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-L', server, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  t.after(() => {
    spawnSync('tmux', ['-L', server, 'kill-server']);
    rmSync(folder, { recursive: true, force: true });
  });
  // The command starts when its output is recorded. With `CI`, guardcli and Ink draw nothing that changes.
  writeFileSync(script, `unset CI\nread -r start\n${line}\n`);
  writeFileSync(log, '');
  const size = ['-x', String(columns), '-y', String(rows)];
  tmux('new-session', '-d', ...size, 'bash', '--norc', script);
  tmux('pipe-pane', '-o', `cat > ${log}`);
  tmux('send-keys', 'Enter');
  const screen = () => tmux('capture-pane', '-p');
  return {
    screen,
    colored: () => tmux('capture-pane', '-e', '-p'),
    press: (...keys) => tmux('send-keys', ...keys),
    type: (text) => tmux('send-keys', '-l', text),
    paste: (text) => {
      writeFileSync(join(folder, 'paste'), text);
      tmux('load-buffer', join(folder, 'paste'));
      tmux('paste-buffer', '-p', '-d');
    },
    resize: (to) => tmux('resize-window', '-x', String(to.columns), '-y', String(to.rows)),
    value: (name) => tmux('display-message', '-p', `#{${name}}`).trim(),
    shows: (text) =>
      until(
        () => {
          const shown = screen();
          return typeof text === 'string' ? shown.includes(text) : text.test(shown);
        },
        () => `${text} on the screen:\n${screen()}`,
      ),
    bytes: () => readFileSync(log, 'latin1'),
  };
}
