import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The time that the browser has to read the file, in milliseconds. */
const openingTimeMs = 60_000;

/**
 * Opens an address in the local browser. Does nothing without a browser. The address has a token, and every user of the machine
 * can see the arguments of a process. So the browser opens a file that only its owner can read, and that redirects to the
 * address.
 */
export function openInBrowser(url: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-open-'));
  const file = join(folder, 'inspector.html');
  writeFileSync(file, pageTo(url), { mode: 0o600 });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  setTimeout(remove, openingTimeMs).unref();
  process.once('exit', remove);

  const address = pathToFileURL(file).href;
  const [command, ...args]: [string, ...string[]] =
    process.platform === 'darwin'
      ? ['open', address]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '""', address]
        : ['xdg-open', address];
  const opened = spawn(command, args, { stdio: 'ignore', detached: true });
  opened.on('error', remove);
  opened.unref();
}

function pageTo(url: string): string {
  const address = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${address}"><a href="${address}">The inspector</a>\n`;
}
