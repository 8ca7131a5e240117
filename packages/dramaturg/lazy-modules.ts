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

interface ListedFormat {
  readonly export: string;
  readonly from: string;
  readonly format: AnyFormat;
}

/**
 * Puts each format, and the reader of YAML, into a file of the bundle that is loaded when it is first needed, and loads `child_process` when
 * it first starts a process. That needs no promise, because the bundle is CommonJS.
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
    },
    resolveId: {
      order: 'pre',
      handler(id, importer) {
        if (id === childProcess && importer?.includes('commander')) return `\0${childProcess}`;
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
