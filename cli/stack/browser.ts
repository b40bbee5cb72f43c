import type { Context } from '../program/context.ts';

/** Returns false on a server without a display, in a pipe, or in CI. */
export function hasBrowser({ stdout, env }: Context, platform: NodeJS.Platform = process.platform): boolean {
  if (!stdout.isTTY || env.CI) return false;
  return platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME);
}

/** Opens a URL in the browser. Ignores a browser that does not start, because the command also prints the URL. */
export async function openBrowser(url: string, context: Context): Promise<void> {
  if (!hasBrowser(context)) return;
  try {
    const { default: open } = await import('open');
    (await open(url)).on('error', () => {});
  } catch {
    // The system has no program that opens URLs.
  }
}
