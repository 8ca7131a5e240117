import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

/** The Chromium of this system, or of Playwright. */
export const executable = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  chromium.executablePath(),
].find((path) => path !== undefined && path !== '' && existsSync(path));
