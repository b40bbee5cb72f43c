/** Runs programs in a terminal of tmux. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';

/** The reason why these tests cannot run here. */
export const skip: string | false = spawnSync('tmux', ['-V']).status === 0 ? false : 'tmux is not installed';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface TmuxTerminal {
  readonly screen: () => string;
  /** Returns the screen with the escape sequences of colors. */
  readonly colored: () => string;
  /** Presses keys, by tmux's names such as `Enter`. Types any other text. */
  readonly press: (...keys: readonly string[]) => void;
  readonly type: (text: string) => void;
  /** Pastes a text. tmux marks it as pasted if the program requested that. */
  readonly paste: (text: string) => void;
  readonly resize: (size: Size) => void;
  /** Returns the value of a tmux variable, such as `cursor_flag`. */
  readonly value: (name: string) => string;
  readonly shows: (text: string | RegExp) => Promise<void>;
  /** Returns every byte that the program wrote. tmux records bytes after it draws them. */
  readonly bytes: () => string;
}

/** A test or a program. It calls the registered functions when it ends. */
export interface Owner {
  readonly after: (end: () => void | Promise<void>) => void;
}

export function openTerminal(t: Owner, line: string, { columns, rows }: Size): TmuxTerminal {
  const folder = scratchFolder('guard-tmux-');
  const [server, log, script] = [`guard-${randomUUID()}`, join(folder, 'bytes'), join(folder, 'script.sh')];
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-L', server, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  t.after(() => {
    spawnSync('tmux', ['-L', server, 'kill-server']);
  });
  // The command waits until recording has started. With `CI`, guardcli and Ink draw no changing output.
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
