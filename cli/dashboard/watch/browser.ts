import { readable } from '../../../platform/escape.ts';
import type { Context } from '../../program/context.ts';
import { hasBrowser, openBrowser } from '../stack/browser.ts';
import { isReady } from '../stack/services.ts';
import { type Settings, urlOf } from '../stack/settings.ts';
import { boardOf, type WatchState } from './state.ts';

function urlOfBoard(grafana: string, state: WatchState): string {
  const url = new URL(`/d/${boardOf(state).uid}`, grafana);
  url.searchParams.set('from', `now-${state.rangeMs / 1000}s`);
  url.searchParams.set('to', 'now');
  for (const [name, text] of Object.entries(state.chosen)) url.searchParams.set(`var-${name}`, text);
  return url.href;
}

/** Opens the shown dashboard in Grafana. Returns a notice for the user, with the URL. */
export async function openInGrafana(state: WatchState, settings: Settings, context: Context): Promise<string> {
  const grafana = urlOf(settings, 'grafana');
  if (!(await isReady('grafana', settings, context.signal)))
    return `Grafana does not respond at ${grafana}: \`guardcli dashboard up\` starts it`;
  const url = urlOfBoard(grafana, state);
  if (!hasBrowser(context)) return `there is no browser here: open ${readable(url)}`;
  await openBrowser(url, context);
  return `opened ${readable(url)}`;
}
