import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, chromium as Chromium } from 'playwright-core';
import { whyNotInShortTests } from './installed.ts';

/** The reason why no page can be opened here, with the next thing to do; undefined when one can be opened. */
export function whyNoChromium(): string | undefined {
  if (chromiumProgram() !== undefined) return whyNotInShortTests();
  return 'There is no Chromium. Install one ("apt-get install chromium", "npx playwright install chromium"), or name it in CHROMIUM.';
}

/** The path of a Chromium on this machine: the one in the variable CHROMIUM, or that of the system, or of Playwright. */
export function chromiumProgram(): string | undefined {
  const isThere = (path: string | undefined) =>
    path !== undefined && path !== '' && existsSync(path);
  const ofSystem = [
    process.env['CHROMIUM'],
    // It has no windows, and opens a page in a fifth of the processor time.
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ].find(isThere);
  return ofSystem ?? [ofPlaywright()].find(isThere);
}

let shared: Promise<Browser> | undefined;

/** A browser for all tests of this process. It ends with the process. Each test opens a context of its own. */
export function sharedChromium(): Promise<Browser> {
  return (shared ??= launch());
}

async function launch(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  // Without the mark of the test file that opens it first, so that it does not end with that file.
  const { DRAMATURG_TEST_FILE: _, ...env } = process.env;
  return chromium.launch({
    executablePath: chromiumProgram()!,
    args: ['--no-sandbox'],
    env,
  });
}

/** The Chromium of Playwright. Playwright is large, so it is loaded only on a machine without another Chromium. */
function ofPlaywright(): string {
  const { chromium } = createRequire(import.meta.url)('playwright-core') as {
    readonly chromium: typeof Chromium;
  };
  return chromium.executablePath();
}
