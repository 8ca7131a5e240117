import { join } from 'node:path';
import { defineConfig } from 'vite';

/** Builds the page into files in dist, which the server serves. It loads nothing from elsewhere. */
export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic' } },
  worker: { format: 'es' },
  build: {
    outDir: join(import.meta.dirname, '../dist/page'),
    emptyOutDir: true,
    // The licences of everything that the page bundles ship with it.
    license: { fileName: 'THIRD-PARTY-NOTICES.md' },
    // No `data:` addresses: the server's content policy does not allow them for scripts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2_000,
    // The layout engine of pages that cannot start a worker. Pages that a server serves can.
    rolldownOptions: { external: ['elkjs/lib/elk.bundled.js'] },
  },
});
