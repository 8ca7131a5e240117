import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const workbench = join(import.meta.dirname, '../..');

/** Tests of the static site that `npm run build` makes. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ['*.site.ts'],
    testTimeout: 600_000,
    reporters: [
      'default',
      [
        join(workbench, '../../.config/totals-reporter.ts'),
        { file: join(workbench, '.totals/site.json') },
      ],
    ],
  },
});
