import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import ownManifest from '../package.json' with { type: 'json' };
import { formats } from '../src/known-formats.ts';

const root = join(import.meta.dirname, '../../..');

/** Pages for people who use the packages. Architecture, contract and workbench are for people who change them. */
const pages = globSync(['README.md', 'docs/**/*.md', 'packages/**/README.md'], {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
}).filter((page) => !/architecture|contract|workbench|benchmarks|conformance/.test(page));

/** Packages whose names people reach through `dramaturg`, because it depends on them. */
const behindFacade = ['compiler', 'host', ...formats.map(({ name }) => name)].map(
  (folder) => `@dramaturg/${folder}`,
);

interface Import {
  readonly page: string;
  readonly from: string;
  readonly names: readonly string[];
}

/** Every import of a package of ours in a code block, by whichever syntax. */
function importsIn(page: string): Import[] {
  const text = readFileSync(join(root, page), 'utf8');
  const code = [...text.matchAll(/```[^\n]*\n(.*?)```/gs)].map(([, block]) => block!).join('\n');
  const statements = code.matchAll(
    /(?:import|export)\s+(?:type\s+)?(?:(\w+)\s*,?\s*)?(?:\{([^}]*)\}\s*)?from\s+['"]((?:@dramaturg\/|dramaturg)[^'"]*)['"]/g,
  );
  return Array.from(statements, ([, whole, list = '', from]) => ({
    page,
    from: from!,
    names: [
      ...(whole && whole !== 'type' ? ['default'] : []),
      ...list
        .split(',')
        .map(
          (name) =>
            name
              .trim()
              .replace(/^type\s+/, '')
              .split(/\s+as\s+/)[0]!,
        )
        .filter((name) => name !== ''),
    ],
  }));
}

/** The names that a package exports, types too: what its entry says, and what the files say that it passes on. */
function exportsOf(specifier: string): ReadonlySet<string> {
  const [scope, name, ...sub] = specifier.startsWith('@')
    ? specifier.split('/')
    : ['', ...specifier.split('/')];
  const folders = globSync(`packages/{*,channels/*,formats/*}/package.json`, { cwd: root });
  const manifest = folders
    .map((path) => join(root, path))
    .find(
      (path) =>
        (JSON.parse(readFileSync(path, 'utf8')) as { name: string }).name ===
        (scope === '' ? name : `${scope}/${name}`),
    );
  if (manifest === undefined) return new Set();
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly types: string }>>;
  };
  const entry = exports[sub.length === 0 ? '.' : `./${sub.join('/')}`];
  return entry === undefined ? new Set() : namesIn(sourceOf(join(dirname(manifest), entry.types)));
}

function sourceOf(types: string): string {
  const source = types.replace('/dist/', '/src/').replace(/\.d\.ts$/, '.ts');
  return existsSync(source) ? source : source.replace(/\.ts$/, '.tsx');
}

function namesIn(file: string): ReadonlySet<string> {
  const text = readFileSync(file, 'utf8');
  const names = new Set<string>();
  for (const [, list] of text.matchAll(/export\s+(?:type\s+)?\{([^}]*)\}/g))
    for (const part of list!.split(','))
      names.add(
        part
          .trim()
          .replace(/^type\s+/, '')
          .split(/\s+as\s+/)
          .at(-1)!,
      );
  for (const [, name] of text.matchAll(
    /export\s+(?:declare\s+|abstract\s+|async\s+)*(?:function\*?|class|const|interface|type|enum)\s+(\w+)/g,
  ))
    names.add(name!);
  for (const [, from] of text.matchAll(/export\s+(?:type\s+)?\*\s+from\s+'([^']+)'/g)) {
    const more = from!.startsWith('.') ? namesIn(join(dirname(file), from!)) : exportsOf(from!);
    for (const name of more) names.add(name);
  }
  return names;
}

test('every import in a code block of the docs is of something that is exported', () => {
  // The recipes make packages of their own; CI follows them.
  const imports = pages.filter((page) => !page.includes('recipes')).flatMap(importsIn);
  expect(imports.length).toBeGreaterThan(10);
  const missing = imports.flatMap(({ page, from, names }) => {
    const known = exportsOf(from);
    return names
      .filter((name) => !known.has(name))
      .map((name) => `${page}: import { ${name} } from '${from}'`);
  });
  expect(missing).toEqual([]);
});

/** Words of definitions, of scopes and of options that are also the names of exports. */
const wordsOfDefinitions = [
  ...formats.map(({ name }) => name),
  'link',
  'problem',
  'read',
  'references',
];

test('what a page names of a package behind the facade can be imported from the facade', async () => {
  const entries = await Promise.all(
    Object.entries(ownManifest.exports)
      .filter(([, target]) => typeof target === 'object')
      .map(([entry]) => import(`dramaturg${entry.slice(1)}`) as Promise<object>),
  );
  const facade: Readonly<Record<string, unknown>> = Object.assign({}, ...entries);
  const behind = new Map<string, string>();
  for (const name of behindFacade) {
    const module = (await import(name)) as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(module)) behind.set(key, name);
  }
  const missing = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8').replaceAll(/```.*?```/gs, '');
    const named = Array.from(text.matchAll(/`(\w+)(?:\([^`]*\))?`/g), ([, name]) => name!);
    // Code of the page that imports from the package shows where its names are.
    const shown = new Set(importsIn(page).map(({ from }) => from));
    const own = /^packages\/(\w+)\/README/.exec(page)?.[1];
    return [...new Set(named)]
      .filter((name) => behind.has(name) && facade[name] === undefined)
      .filter((name) => !shown.has(behind.get(name)!))
      .filter((name) => behind.get(name) !== `@dramaturg/${own}`)
      .filter((name) => !wordsOfDefinitions.includes(name))
      .map((name) => `${page}: ${name} of ${behind.get(name)}`);
  });
  expect(missing).toEqual([]);
});
