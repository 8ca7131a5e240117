import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { storybookTest } from '@storybook/addon-vitest/vitest-plugin';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { chromiumProgram } from '@dramaturg/test-servers';

const root = join(import.meta.dirname, '../..');
const executablePath = chromiumProgram();

if (executablePath === undefined) {
  console.warn(
    '\nNo Chromium was found, so the tests of the stories are skipped.\nInstall one (apt-get install chromium), or set CHROMIUM=/path/to/chromium.\n',
  );
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [storybookTest({ configDir: `${import.meta.dirname}/.storybook` })],
  optimizeDeps: {
    // When Vite finds these while a story runs, it reloads the page.
    include: ['elkjs/lib/elk-api.js', 'elkjs/lib/elk.bundled.js', 'elkjs/lib/elk-worker.min.js'],
  },
  test: {
    name: 'stories',
    reporters: [
      'default',
      [
        join(root, '.config/totals-reporter.ts'),
        { file: `${import.meta.dirname}/.totals/stories.json` },
      ],
    ],
    passWithNoTests: true,
    ...(executablePath === undefined ? { exclude: ['**/*'] } : {}),
    setupFiles: ['./test/setup.ts'],
    testTimeout: 600_000,
    retry: process.env['DRAMATURG_TEST_ALL'] === '1' ? 1 : 0,
    browser: {
      enabled: executablePath !== undefined,
      headless: true,
      // On a busy machine the page needs longer than the minute of the default.
      connectTimeout: 600_000,
      provider: playwright({
        launchOptions: {
          ...(executablePath === undefined ? {} : { executablePath }),
          args: existsSync('/.dockerenv') || process.getuid?.() === 0 ? ['--no-sandbox'] : [],
        },
      }),
      instances: [{ browser: 'chromium', viewport: { width: 1280, height: 800 } }],
      screenshotFailures: false,
    },
  },
});
