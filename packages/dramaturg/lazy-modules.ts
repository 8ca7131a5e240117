import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnyFormat } from '@dramaturg/compiler';
import type { Plugin } from 'vite';

/** Fields of a format that commands read without loading the format. */
const known: readonly string[] = ['name', 'kind', 'title', 'suffixes'];

const list = fileURLToPath(new URL('dist/formats.js', import.meta.url));
const yaml = fileURLToPath(new URL('../compiler/dist/read/yaml.js', import.meta.url));

/** Marks the id of a module with the content of its file. The module without the mark loads it. */
const file = '?file';
const require = `import { createRequire } from 'node:module';
const require = createRequire(__filename);`;
/** For a module of a program. Also works where a test runner replaces the modules of Node. */
const requireInModule = `import { requireFrom } from '@dramaturg/compiler/format';
const require = requireFrom(import.meta);`;

/** A module of Node that the command rarely needs. Loading it takes longer than printing the help. */
const childProcess = 'node:child_process';

/** The module that lists the engines that only some workflows need, and gives them to the format. */
const engines = fileURLToPath(new URL('../formats/asl/dist/engines/engines.js', import.meta.url));
const presentEngines = join(dirname(engines), 'present.js');

/** Exports of one module. */
interface Engine {
  /** Its file in the bundle, without ".cjs". */
  readonly name: string;
  readonly names: readonly string[];
  readonly source: string;
}

interface ListedFormat {
  readonly export: string;
  readonly from: string;
  readonly format: AnyFormat;
}

/**
 * Puts each format, the reader of YAML and each engine of workflows into a file of the bundle that is loaded when it is first needed, and loads
 * `child_process` when it first starts a process. That needs no promise, because the bundle is CommonJS.
 */
export function lazyModules(): Plugin {
  let formats: readonly ListedFormat[] = [];
  let listedEngines: readonly Engine[] = [];
  return {
    name: 'lazy-modules',
    async buildStart() {
      formats = await listedFormats();
      for (const { export: name } of formats)
        this.emitFile({ type: 'chunk', id: `${name}${file}`, fileName: `${name}.cjs` });
      // For `import 'dramaturg'` in Node: `#formats`.
      this.emitFile({
        type: 'asset',
        fileName: 'formats.js',
        source: [
          requireInModule,
          ...formats.map((each) => lazyFormat(each, `${each.from}/index.js`)),
        ].join('\n'),
      });
      this.emitFile({ type: 'chunk', id: `${yaml}${file}`, fileName: 'yaml.cjs' });
      listedEngines = await readEngines();
      for (const { name } of listedEngines)
        this.emitFile({ type: 'chunk', id: `${engines}/${name}${file}`, fileName: `${name}.cjs` });
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
      if (id === list)
        return [require, ...formats.map((each) => lazyFormat(each, `./${each.export}.cjs`))].join(
          '\n',
        );
      if (id === yaml)
        return `${require}\nexport const readYaml = (...given) => require('./yaml.cjs').readYaml(...given);`;
      if (id === `${yaml}${file}`) return readFile(yaml, 'utf8');
      if (id === presentEngines) return [require, lazyEngines(listedEngines)].join('\n');
      const engine = listedEngines.find(({ name }) => id === `${engines}/${name}${file}`);
      if (engine) return engine.source;
      const listed = formats.find((each) => id === `${each.export}${file}`);
      return listed && `export { ${listed.export} } from '${listed.from}';`;
    },
  };
}

async function listedFormats(): Promise<readonly ListedFormat[]> {
  const exported = (await readFile(list, 'utf8')).matchAll(/^export \{ (\w+) \} from '(.+)';$/gm);
  return Promise.all(
    Array.from(exported, async ([, name = '', from = '']) => {
      const { [name]: format } = (await import(`${from}/index.js`)) as {
        readonly [name: string]: AnyFormat;
      };
      if (format === undefined) throw new Error(`"${from}" does not export "${name}".`);
      return { export: name, from, format };
    }),
  );
}

function lazyFormat({ export: name, format }: ListedFormat, place: string): string {
  const fields = Object.entries(format).map(([field, value]) =>
    known.includes(field)
      ? `${field}: ${JSON.stringify(value)}`
      : `get ${field}() { return require('${place}').${name}.${field}; }`,
  );
  return `export const ${name} = { ${fields.join(', ')} };`;
}

async function readEngines(): Promise<readonly Engine[]> {
  const lines = (await readFile(engines, 'utf8')).matchAll(/^export \{ (.+) \} from '(.+)';$/gm);
  return Array.from(lines, ([line, exported = '', from = '']) => ({
    name: basename(from.replace('#', ''), '.js'),
    names: exported.split(', ').map((each) => each.split(' as ').at(-1)!),
    // `#` names a module next to the list, and a path is relative to it.
    source: line.replace(/'(?:#(.+)|(\..+))'/, (_, name, path) =>
      JSON.stringify(join(dirname(engines), path ?? `${name}.js`)),
    ),
  }));
}

function lazyEngines(listed: readonly Engine[]): string {
  const fields = listed.flatMap(({ name, names }) =>
    names.map((each) => `get ${each}() { return require('./${name}.cjs').${each}; }`),
  );
  return `const all = { ${fields.join(', ')} };
export const engines = () => all;
export async function loadEngines() {}`;
}
