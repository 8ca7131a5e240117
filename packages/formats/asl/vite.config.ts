import { defineConfig } from 'vite';

/**
 * Bundles what reads JSON Schemas, for browsers. A bundler puts a module of zod into one chunk, with all that any part of the page uses of it: a page
 * that never reads a JSON Schema would load 20 kB more.
 */
export default defineConfig({
  publicDir: false,
  build: {
    lib: { entry: 'src/engines/json-schemas.ts', formats: ['es'], fileName: 'json-schemas' },
    outDir: 'dist/json-schemas',
    target: 'es2023',
    minify: true,
    // The licence of what the bundle has ships with it.
    license: { fileName: 'THIRD-PARTY-NOTICES.md' },
  },
});
