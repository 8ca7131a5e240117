import { join } from 'node:path';
import { defineConfig } from 'vite';

/** Builds the page of the chat into one script and one style sheet, which the channel serves. It loads nothing from elsewhere. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: join(import.meta.dirname, '../../dist/page'),
    // The two builds share the folder.
    emptyOutDir: false,
    // The licences of everything that the page bundles ship with it.
    license: { fileName: 'THIRD-PARTY-NOTICES.md' },
    lib: { entry: join(import.meta.dirname, 'main.ts'), name: 'dramaturg', formats: ['iife'] },
    rolldownOptions: {
      output: { entryFileNames: 'chat.js', assetFileNames: 'chat[extname]' },
    },
  },
});
