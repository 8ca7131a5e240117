import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright';
import { chromiumProgram } from '@dramaturg/test-servers';

const fonts = '/usr/share/fonts/truetype/dejavu';

/** Why pictures of this machine cannot be compared with the stored ones; undefined if they can. */
export function obstacle(): string | undefined {
  if (chromiumProgram() === undefined)
    return 'there is no Chromium. Install one, or set CHROMIUM=/path/to/chromium';
  if (!existsSync(join(fonts, 'DejaVuSans.ttf')))
    return `the font DejaVu Sans is not in ${fonts}. Install the package fonts-dejavu-core`;
  return undefined;
}

/** Starts a Chromium that knows one family of fonts, whichever others the machine has. */
export async function openBrowser(): Promise<Browser> {
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-fonts-'));
  const config = join(folder, 'fonts.conf');
  mkdirSync(join(folder, 'cache'));
  writeFileSync(config, fontConfig(join(folder, 'cache')));
  const browser = await chromium.launch({
    executablePath: chromiumProgram()!,
    args: ['--no-sandbox', '--font-render-hinting=none', '--force-color-profile=srgb'],
    env: { ...process.env, FONTCONFIG_FILE: config },
  });
  browser.on('disconnected', () => rmSync(folder, { recursive: true, force: true }));
  return browser;
}

/** Every family is DejaVu Sans, and each monospaced one DejaVu Sans Mono. */
function fontConfig(cache: string): string {
  const monospaced = ['monospace', 'ui-monospace', 'Menlo', 'Consolas'].map(
    (family) =>
      `<alias binding="same"><family>${family}</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>`,
  );
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>${fonts}</dir><cachedir>${cache}</cachedir>
<selectfont><rejectfont>
<glob>${fonts}/*Serif*</glob><glob>${fonts}/*Condensed*</glob><glob>${fonts}/*Math*</glob><glob>${fonts}/*Light*</glob>
</rejectfont></selectfont>
${monospaced.join('')}
<match target="pattern"><edit name="family" mode="append_last"><string>DejaVu Sans</string></edit></match>
</fontconfig>`;
}
