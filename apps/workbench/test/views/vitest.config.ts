import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const workbench = join(import.meta.dirname, '../..');

/** Tests of the 40 views. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ['*.views.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    retry: process.env['DRAMATURG_TEST_ALL'] === '1' ? 1 : 0,
    reporters: [
      'default',
      [
        join(workbench, '../../.config/totals-reporter.ts'),
        { file: join(workbench, '.totals/views.json') },
      ],
    ],
  },
});
