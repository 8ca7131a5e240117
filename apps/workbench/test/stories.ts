/** Opens every story, the static site and the 40 views in Chromium, if there is one. Skips them when nothing changed. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { chromiumProgram } from '@dramaturg/test-servers';

const path = chromiumProgram();
if (path === undefined) {
  console.warn(`
SKIPPED: the stories of the workbench and its site were not opened, because there is no Chromium on this machine.
Install one (apt-get install chromium, or npx playwright install chromium), or set CHROMIUM=/path/to/chromium.
`);
} else {
  const { status } = spawnSync(
    'npx',
    [
      'turbo',
      'run',
      'test:stories',
      'test:site',
      'test:views',
      '--continue',
      // Each takes all cores.
      '--concurrency=1',
      '--output-logs=new-only',
    ],
    {
      cwd: join(import.meta.dirname, '../../..'),
      stdio: 'inherit',
      env: { ...process.env, CHROMIUM: path, TURBO_TELEMETRY_DISABLED: '1' },
    },
  );
  process.exitCode = status ?? 1;
}
