/** What axe finds wrong with a page for people who use it by keyboard, screen reader or strong glasses (WCAG). */
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly unknown[];
}

export async function accessibilityProblems(page: Page): Promise<string[]> {
  const { default: axe } = await import('axe-core');
  // Through the debugger, because a page with a security policy runs no script of ours.
  await page.evaluate(axe.source);
  const found = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as readonly Violation[];
  return found.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.length} places)`);
}
