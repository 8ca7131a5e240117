/** Takes the pictures of the inspector in docs/images: `npm run inspector-pictures --workspace apps/workbench`. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { chromiumProgram } from '@dramaturg/test-servers';

const root = join(import.meta.dirname, '../../..');
const command = join(root, 'packages/dramaturg/bin/dramaturg.js');
const intake = join(root, 'docs/examples/customer-intake.plan.json');
const folder = mkdtempSync(join(tmpdir(), 'dramaturg-pictures-'));
const store = 'conversations';
const run = (...args: string[]) =>
  execFileSync(process.execPath, [command, ...args], { cwd: folder });

run('start', store, intake, '--id', 'intake-1', '--contact', 'maria');
for (const text of ['Maria', '4711-B', 'I was charged twice']) run('send', store, 'intake-1', text);

const inspector = spawn(process.execPath, [command, 'inspect', store, '--no-open', '--json'], {
  cwd: folder,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [ready] = (await once(inspector.stdout, 'data')) as [Buffer];
const { url } = JSON.parse(ready.toString()) as { readonly url: string };
const executablePath = chromiumProgram();
const browser = await chromium.launch({
  ...(executablePath === undefined ? {} : { executablePath }),
  args: ['--no-sandbox'],
});

for (const [name, colorScheme, steps] of [
  ['inspector', 'light', 0],
  ['inspector-why', 'dark', 3],
] as const) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1440, height: 900 } });
  await page.goto(`${url}#intake-1`);
  await page.locator('.dg-state[data-light=current]').first().waitFor();
  if (steps > 0) await page.getByRole('tab', { name: 'Why' }).click();
  await page.locator('h1').click();
  for (let step = 0; step < steps; step += 1) await page.keyboard.press('ArrowLeft');
  // The chart moves to what is shown.
  await page.waitForTimeout(1_000);
  await page.screenshot({ path: join(root, `docs/images/${name}.png`) });
  console.log(`docs/images/${name}.png`);
}
await browser.close();
inspector.kill();
await once(inspector, 'exit');
rmSync(folder, { recursive: true });
