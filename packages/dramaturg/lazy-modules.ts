import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { AnyFormat } from '@dramaturg/compiler';
import type { Plugin } from 'vite';

/** What commands read of every format. All other fields load the format. */
const known: readonly string[] = ['name', 'kind', 'title', 'suffixes'];

const list = fileURLToPath(new URL('src/formats.ts', import.meta.url));
const yaml = fileURLToPath(new URL('../compiler/dist/read/yaml.js', import.meta.url));

/** Marks the module that is in the file, behind the one that loads it. */
const file = '?file';
const require = `import { createRequire } from 'node:module';
const require = createRequire(__filename);`;

/** A module of Node that the command has for what it rarely does. It takes longer to load than the help takes to print. */
const childProcess = 'node:child_process';

/** Libraries that only some definitions of a format need, with what the formats import of them. */
const libraries: ReadonlyMap<string, readonly string[]> = new Map([
  ['jsonata', ['default']],
  ['re2js', ['RE2JS', 'RE2Set']],
]);

/** A function or class that is loaded when it is first called, or a member of it is read. */
const lazy = `function lazy(load) {
  return new Proxy(function () {}, {
    apply: (_, self, given) => Reflect.apply(load(), self, given),
    construct: (_, given) => Reflect.construct(load(), given),
    get: (_, name) => load()[name],
    set: (_, name, value) => Reflect.set(load(), name, value),
  });
}`;

interface ListedFormat {
  readonly export: string;
  readonly from: string;
  readonly format: AnyFormat;
}

/**
 * Puts each format, the reader of YAML, JSONata and regular expressions into files of the bundle that are loaded when first needed, and
 * loads `child_process` when it first starts a process. That needs no promise, because the bundle is CommonJS.
 */
export function lazyModules(): Plugin {
  let formats: readonly ListedFormat[] = [];
  return {
    name: 'lazy-modules',
    async buildStart() {
      formats = await listedFormats();
      for (const { export: name } of formats)
        this.emitFile({ type: 'chunk', id: `${name}${file}`, fileName: `${name}.cjs` });
      this.emitFile({ type: 'chunk', id: `${yaml}${file}`, fileName: 'yaml.cjs' });
      for (const name of libraries.keys())
        this.emitFile({ type: 'chunk', id: `${name}${file}`, fileName: `${name}.cjs` });
    },
    resolveId: {
      order: 'pre',
      handler(id, importer) {
        if (id === childProcess && importer?.includes('commander')) return `\0${childProcess}`;
        if (libraries.has(id) && importer?.endsWith(file) !== true) return `\0${id}`;
        return id.endsWith(file) ? id : undefined;
      },
    },
    async load(id) {
      if (id === `\0${childProcess}`)
        return `${require}\nexport default { spawn: (...given) => require('${childProcess}').spawn(...given) };`;
      if (id === list) return [require, ...formats.map(lazyFormat)].join('\n');
      if (id === yaml)
        return `${require}\nexport const readYaml = (...given) => require('./yaml.cjs').readYaml(...given);`;
      if (id === `${yaml}${file}`) return readFile(yaml, 'utf8');
      for (const [name, imported] of libraries) {
        if (id === `\0${name}`) return lazyLibrary(name, imported);
        if (id === `${name}${file}`) return libraryFile(name, imported);
      }
      const listed = formats.find((each) => id === `${each.export}${file}`);
      return listed && `export { ${listed.export} } from '${listed.from}';`;
    },
  };
}

async function listedFormats(): Promise<readonly ListedFormat[]> {
  const exported = (await readFile(list, 'utf8')).matchAll(/^export \{ (\w+) \} from '(.+)';$/gm);
  return Promise.all(
    Array.from(exported, async ([, name = '', from = '']) => {
      const { [name]: format } = (await import(from)) as { readonly [name: string]: AnyFormat };
      if (format === undefined) throw new Error(`"${from}" does not export "${name}".`);
      return { export: name, from, format };
    }),
  );
}

function lazyFormat({ export: name, format }: ListedFormat): string {
  const fields = Object.entries(format).map(([field, value]) =>
    known.includes(field)
      ? `${field}: ${JSON.stringify(value)}`
      : `get ${field}() { return require('./${name}.cjs').${name}.${field}; }`,
  );
  return `export const ${name} = { ${fields.join(', ')} };`;
}

function lazyLibrary(name: string, imported: readonly string[]): string {
  const values = imported.map(
    (each) => `const ${each}Lazily = lazy(() => require('./${name}.cjs').${each}Loaded);`,
  );
  const exported = imported.map((each) => `${each}Lazily as ${each}`);
  return [require, lazy, ...values, `export { ${exported.join(', ')} };`].join('\n');
}

/** Named, because what the default export of a bundle is depends on its format. */
function libraryFile(name: string, imported: readonly string[]): string {
  const exported = imported.map((each) => `${each} as ${each}Loaded`);
  return `export { ${exported.join(', ')} } from '${name}';`;
}
