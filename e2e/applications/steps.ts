/** Steps that several sessions have in common. */
import type { Page } from 'playwright-core';

/** Opens a page. A script of the page before may just have begun to open another one, so a second attempt follows. */
export async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url).catch(() => page.goto(url));
}

/** Fills the fields. Keys are selectors. */
export async function fill(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [selector, value] of Object.entries(fields))
    await page.locator(selector).filter({ visible: true }).first().fill(value);
}

/** Presses a button or link, and waits until the page that it opens is loaded. */
export async function press(page: Page, selector: string): Promise<void> {
  const loaded = page.waitForEvent('load');
  await page.locator(selector).first().click();
  await loaded;
}

export interface Wander {
  /** Number of pages. */
  readonly pages: number;
  /** Links that are not opened, such as those that delete. */
  readonly avoid?: RegExp;
  /** Pages to start at. */
  readonly from?: readonly string[];
}

const usuallyAvoided = /log-?(?:out|off)|sign-?out|action=(?:delete|trash)|\/(?:delete|destroy|remove)\b/i;

/** Addresses of the links of this page that stay on its server. */
const linksOf = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    '[...document.links].map(({ href }) => href).filter((href) => href.startsWith(`${origin}/`))',
  );

/** Opens pages that the opened pages link to, in the order of their links. */
export async function wander(page: Page, { pages, avoid = /$^/, from = [page.url()] }: Wander): Promise<void> {
  const queue = [...from];
  const known = new Set<string>();
  for (let opened = 0; opened < pages; ) {
    const next = queue.shift();
    if (next === undefined) return;
    const url = next.replace(/#.*/, '');
    if (known.has(url) || usuallyAvoided.test(url) || avoid.test(url)) continue;
    known.add(url);
    opened += 1;
    // Links to files start a download, which has no page.
    const response = await page.goto(url).catch(() => null);
    if (response?.headers()['content-type']?.startsWith('text/html'))
      queue.push(...(await linksOf(page).catch(() => [])));
  }
}
