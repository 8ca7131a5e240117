import { defineConfig } from 'vitest/config';

/** Tests of what `npm run build` has made. */
export default defineConfig({
  root: import.meta.dirname,
  test: { include: ['*.site.ts'], testTimeout: 60_000 },
});
