import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

/** A Chromium of this machine: the one that is named, the system's, or Playwright's. */
export function chromiumPath(): string | undefined {
  const candidates = [
    process.env['CHROMIUM'],
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    chromium.executablePath(),
  ];
  return candidates.find((path) => path !== undefined && path !== '' && existsSync(path));
}
