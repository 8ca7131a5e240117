import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vite';
import { lazyModules } from './lazy-modules.ts';

const { resolve } = createRequire(import.meta.resolve('@dramaturg/compiler'));

/** Bundles the modules for the help and the quick commands: Node finds and reads 400 modules much slower than one. */
export default defineConfig({
  publicDir: false,
  plugins: [lazyModules()],
  resolve: { alias: { yaml: join(dirname(resolve('yaml/package.json')), 'browser/index.js') } },
  build: {
    ssr: 'src/cli/quick.ts',
    ssrEmitAssets: true,
    outDir: 'dist/quick',
    target: 'node22',
    minify: true,
    // The licences of everything that the bundle has ship with it.
    license: { fileName: 'THIRD-PARTY-NOTICES.md' },
    rolldownOptions: {
      output: {
        format: 'cjs',
        entryFileNames: '[name].cjs',
        chunkFileNames: '[name]-[hash].cjs',
        codeSplitting: {
          groups: [
            { name: 'start', test: /src.cli.quick\.ts$/, priority: 1 },
            // The reader of JSON Schemas is in a file of its own, with the part of zod that nothing else needs.
            { name: 'zod', test: /node_modules.zod/, minShareCount: 2, priority: 1 },
            // A format stays in its own file, except for modules that several formats share.
            { name: 'shared', test: /^(?!.*\/formats\/(?!conversation\/))/, minShareCount: 2 },
          ],
        },
      },
    },
  },
  ssr: { noExternal: true, target: 'node' },
});
