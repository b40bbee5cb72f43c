/** Opens the shown dashboard in a browser. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Context } from '../../program/context.ts';
import { boardOf, type WatchState } from './state.ts';

/** The same dashboard, range and filters in Grafana. */
export function urlOfBoard(grafana: string, state: WatchState): string {
  const url = new URL(`/d/${boardOf(state).uid}`, grafana);
  url.searchParams.set('from', `now-${state.rangeMs / 1000}s`);
  url.searchParams.set('to', 'now');
  for (const [name, text] of Object.entries(state.chosen)) url.searchParams.set(`var-${name}`, text);
  return url.href;
}

const openers: Readonly<Record<string, string>> = { darwin: 'open', linux: 'xdg-open' };

/** Returns what to say: the address, where no browser can be opened. */
export async function openInBrowser(url: string, { env }: Context): Promise<string> {
  const opener = openers[process.platform];
  const hasScreen = process.platform !== 'linux' || env.DISPLAY || env.WAYLAND_DISPLAY;
  if (!opener || !hasScreen) return `open ${url} in a browser`;
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.unref();
  return once(child, 'spawn').then(
    () => `opened ${url}`,
    () => `${opener} is not installed: open ${url} in a browser`,
  );
}
