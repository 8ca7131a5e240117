import type { Page } from 'playwright-core';
import { Running } from '../host-cli/processes.ts';

/** Timeout for a browser, a page and a host. */

/** The inspector of a store, and its address. */
export async function inspecting(...args: string[]): Promise<string> {
  const running = new Running(['inspect', '--no-open', '--json', ...args]);
  await running.says('"ready"');
  return (JSON.parse(running.stdout) as { readonly url: string }).url;
}

/** The names of the states that the actor is in. */
export const lit = (page: Page) => page.locator('.dg-state[data-light=current] .dg-state-name');

export const said = (page: Page) => page.locator('.dg-message p');

/** The step that is shown. */
export const step = (page: Page) => page.locator('.scrubber output');
