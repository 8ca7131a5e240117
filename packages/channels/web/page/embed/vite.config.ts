import { join } from 'node:path';
import { defineConfig } from 'vite';

/** Builds the launcher into one script, which the channel serves. It loads nothing from elsewhere. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: join(import.meta.dirname, '../../dist/page'),
    // The two builds share the folder.
    emptyOutDir: false,
    lib: { entry: join(import.meta.dirname, 'main.ts'), name: 'dramaturg', formats: ['iife'] },
    rolldownOptions: {
      output: { entryFileNames: 'embed.js', assetFileNames: 'embed[extname]' },
    },
  },
});
