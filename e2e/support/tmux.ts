/** A terminal for tests: tmux draws the output of a program. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/until.ts';

/** Why tests with tmux cannot run here, or false. */
export const skip: string | false = spawnSync('tmux', ['-V']).status === 0 ? false : 'tmux is not installed';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface TmuxTerminal {
  /** Returns the text on the screen. */
  readonly screen: () => string;
  /** Returns the screen with the escape sequences of its colors. */
  readonly colored: () => string;
  /** Presses keys, by tmux's names such as `Enter`. Types any other text. */
  readonly press: (...keys: readonly string[]) => void;
  /** Types the bytes of the text. */
  readonly type: (text: string) => void;
  /** Pastes the text like a terminal. It marks the paste if the program requested that. */
  readonly paste: (text: string) => void;
  readonly resize: (size: Size) => void;
  /** Returns a tmux variable of the terminal, such as `cursor_flag`. */
  readonly value: (name: string) => string;
  readonly shows: (text: string | RegExp) => Promise<void>;
  /** Returns every byte that the program wrote. The last bytes are recorded after they are drawn. */
  readonly bytes: () => string;
}

/** The owner of a terminal: a test, or a program that removes it itself. */
export interface Owner {
  readonly after: (end: () => void | Promise<void>) => void;
}

/** Starts a shell command in a terminal. */
export function openTerminal(t: Owner, line: string, { columns, rows }: Size): TmuxTerminal {
  const folder = scratchFolder('guard-tmux-');
  const [server, log, script] = [`guard-${randomUUID()}`, join(folder, 'bytes'), join(folder, 'script.sh')];
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-L', server, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  t.after(() => {
    spawnSync('tmux', ['-L', server, 'kill-server']);
  });
  // The command starts when recording has started. `CI` is unset, because with it guardcli and Ink draw no changing
  // output.
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
