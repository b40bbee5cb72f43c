/** Opens the dashboard in the browser of the user, where there is one. */
import type { Context } from '../../program/context.ts';

/** A user on a server, in a pipe or in CI has no browser there. */
export function hasBrowser({ stdout, env }: Context, platform: NodeJS.Platform = process.platform): boolean {
  if (!stdout.isTTY || env.CI) return false;
  return platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME);
}

/** A browser that does not start is not an error: the URL is printed too. */
export async function openBrowser(url: string, context: Context): Promise<void> {
  if (!hasBrowser(context)) return;
  try {
    const { default: open } = await import('open');
    (await open(url)).on('error', () => {});
  } catch {
    // No browser.
  }
}
