import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { PeerError } from '../peers.ts';

let launched: Promise<Browser> | undefined;

/** Starts Chromium once. @throws PeerError without one */
export function launchedChromium(): Promise<Browser> {
  const executablePath = [
    process.env['CHROMIUM'],
    '/usr/bin/chromium',
    '/usr/bin/google-chrome',
    chromium.executablePath(),
  ].find((path) => path !== undefined && path !== '' && existsSync(path));
  if (executablePath === undefined)
    throw new PeerError(
      'There is no Chromium. Install one ("apt-get install chromium", "npx playwright install chromium"), or name it in CHROMIUM.',
    );
  return (launched ??= chromium.launch({ executablePath, args: ['--no-sandbox'] }));
}

export async function closeChromium(): Promise<void> {
  await (await launched)?.close();
}
