import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const library = dirname(createRequire(import.meta.url).resolve('yaml/package.json'));

/** What reading with the core schema never calls. The core schema also knows the merge key of YAML 1.1. */
const unused =
  /[\\/]yaml[\\/]browser[\\/]dist[\\/](?:stringify|schema[\\/]yaml-1\.1)[\\/](?!merge\.js)/;

/** Leaves the unused modules of the parser out: what they export is undefined, so that a call of it fails. */
const withoutUnused: Plugin = {
  name: 'without-unused',
  enforce: 'pre',
  transform(code, id) {
    if (!unused.test(id)) return undefined;
    const names = [...code.matchAll(/^export \{ (.*) \};$/gm)].flatMap(([, list = '']) =>
      list.split(', ').map((each) => each.split(' as ').at(-1)!),
    );
    if (names.length === 0) throw new Error(`No exports were found in ${id}.`);
    return names.map((name) => `export const ${name} = undefined;`).join('\n');
  },
};

/** Bundles the YAML parser for browsers. */
export default defineConfig({
  publicDir: false,
  plugins: [withoutUnused],
  resolve: { alias: { yaml: join(library, 'browser/index.js') } },
  build: {
    lib: { entry: 'src/read/yaml-library.ts', formats: ['es'], fileName: 'yaml' },
    outDir: 'dist/yaml',
    target: 'es2023',
    minify: true,
    // The licence of what the bundle has ships with it.
    license: { fileName: 'THIRD-PARTY-NOTICES.md' },
  },
});
