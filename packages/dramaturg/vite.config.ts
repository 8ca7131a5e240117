import { defineConfig } from 'vite';

/** Bundles what the command needs for its help and its quick commands: node finds and reads 400 modules much slower than one. */
export default defineConfig({
  publicDir: false,
  build: {
    ssr: 'src/cli/quick.ts',
    outDir: 'dist/quick',
    target: 'node22',
    minify: true,
    // The licences of everything that the bundle has ship with it.
    license: { fileName: 'THIRD-PARTY-NOTICES.md' },
    rolldownOptions: {
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
  ssr: { noExternal: true, target: 'node' },
});
