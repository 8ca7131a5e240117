/**
 * Which package may import which. This table is the architecture: an import outside it fails the build.
 * Packages from outside this repository are not checked: knip reports undeclared ones.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Node, parseSync, Visitor } from 'oxc-parser';
import { cyclesIn } from './import-cycles.ts';
import { changingXstateTypes, stableXstate, xstateFiles } from './xstate-files.ts';

interface Boundary {
  /** Packages of ours that the source may import. Every package may import itself. */
  imports: readonly string[];
  /** Packages of ours from which the source may import only types. */
  types?: readonly string[];
  /** Additional imports for the files of its page. They are bundled, so users of the package do not import them. */
  page?: readonly string[];
  /** Additional imports for the tests. */
  tests?: readonly string[];
  /** The parts that also run in a browser, so they import no Node module: all, or these entries with their imports. */
  browser?: true | readonly string[];
}

const everything = ['@dramaturg/*', 'dramaturg'];

const boundaries: Record<string, Boundary> = {
  'packages/compiler': { imports: [], browser: true },
  'packages/formats/conversation': { imports: ['@dramaturg/compiler'], browser: true },
  'packages/formats/*': {
    imports: ['@dramaturg/compiler', '@dramaturg/conversation'],
    tests: ['@dramaturg/testing'],
    browser: true,
  },
  'packages/host': {
    imports: ['@dramaturg/compiler'],
    tests: ['@dramaturg/testing'],
    browser: ['src/browser.ts'],
  },
  'packages/testing': {
    imports: ['@dramaturg/compiler', '@dramaturg/host'],
    browser: ['src/playing.ts'],
  },
  'packages/channels/*': {
    imports: ['@dramaturg/compiler', '@dramaturg/host', '@dramaturg/testing'],
    tests: everything,
  },
  'packages/postgres': {
    imports: ['@dramaturg/compiler', '@dramaturg/host'],
    tests: everything,
  },
  'packages/opentelemetry': {
    imports: ['@dramaturg/compiler', '@dramaturg/host', '@dramaturg/host/engine'],
    tests: everything,
  },
  'packages/restate': {
    imports: ['@dramaturg/compiler', '@dramaturg/host', '@dramaturg/host/engine'],
    tests: everything,
  },
  'packages/service': {
    imports: ['@dramaturg/compiler', '@dramaturg/host'],
    tests: everything,
  },
  'packages/mcp': {
    imports: ['@dramaturg/compiler'],
    types: ['@dramaturg/service'],
    tests: everything,
  },
  'packages/understudy': {
    imports: ['@dramaturg/compiler', '@dramaturg/host/browser'],
    browser: true,
  },
  'packages/test-servers': { imports: ['@dramaturg/compiler'] },
  'packages/langchain': {
    imports: ['@dramaturg/compiler', '@dramaturg/host'],
    tests: ['@dramaturg/testing'],
  },
  'packages/inspector': {
    imports: [],
    types: everything,
    page: ['@dramaturg/compiler', '@dramaturg/react'],
  },
  'packages/inspector-legacy': {
    imports: ['@dramaturg/inspector'],
    types: everything,
    tests: ['@dramaturg/test-servers'],
  },
  'packages/drawing': {
    imports: ['@dramaturg/compiler'],
    tests: ['@dramaturg/testing', 'dramaturg'],
    browser: true,
  },
  'packages/react': {
    imports: ['@dramaturg/compiler', '@dramaturg/drawing'],
    types: ['@dramaturg/host'],
    tests: ['@dramaturg/host', '@dramaturg/plan', '@dramaturg/testing', 'dramaturg'],
    browser: true,
  },
  'packages/create-dramaturg': { imports: [], tests: everything },
  'packages/dramaturg': {
    imports: ['@dramaturg/*', '!@dramaturg/react', 'create-dramaturg'],
    browser: [
      'src/browser.ts',
      'src/editor.ts',
      'src/recording-browser.ts',
      'src/store.ts',
      'src/testing-browser.ts',
    ],
  },
  'apps/*': { imports: everything },
};

/** Words of one format that must not appear in code for all formats. */
const foreignWords = [{ word: 'deliverable', folders: ['packages/compiler', 'packages/host/src'] }];

interface Import {
  specifier: string;
  typeOnly: boolean;
  /** Names that are imported or exported again; `*` for all. */
  names: readonly string[];
  offset: number;
}

const root = join(import.meta.dirname, '..');
const problems: string[] = [];
/** The files of ours that a file imports, types included. */
const graph = new Map<string, string[]>();
const entryOf = entryFiles();
let filesRead = 0;

for (const folder of workspaceFolders()) {
  const boundary = boundaries[folder] ?? boundaries[`${dirname(folder)}/*`];
  if (boundary === undefined) {
    problems.push(`${folder} has no boundary: add it to the table in .config/boundaries.ts.`);
    continue;
  }
  const self = readJson(join(folder, 'package.json')).name;
  for (const entry of entriesForBrowsers(boundary)) checkForBrowsers(join(folder, entry));
  for (const file of filesIn(folder, /\.[cm]?[jt]sx?$/)) {
    filesRead += 1;
    const text = readFileSync(join(root, file), 'utf8');
    const imports = importsOf(file, text);
    graph.set(
      file,
      imports.flatMap((found) => targetOf(found.specifier, file) ?? []),
    );
    for (const found of imports) {
      const complaint = complain(found, { file, folder, self, boundary });
      if (complaint !== undefined) {
        problems.push(`${file}:${lineAt(text, found.offset)} ${complaint}`);
      }
    }
  }
}

for (const cycle of cyclesIn(graph))
  problems.push(`Imports lead in a circle, types included: ${cycle.join(' → ')}.`);

for (const { word, folders } of foreignWords) {
  for (const file of folders.flatMap((folder) => filesIn(folder, /./))) {
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    for (const [index, line] of lines.entries()) {
      if (!line.toLowerCase().includes(word)) continue;
      problems.push(
        `${file}:${index + 1} says "${word}", which is a word of one format; it is not allowed in ${folders.join(' or ')}.`,
      );
    }
  }
}

if (problems.length > 0) {
  console.error(`${problems.join('\n')}\n\n${problems.length} boundary problem(s).`);
  process.exitCode = 1;
} else {
  console.log(`boundaries: ${filesRead} files keep to the table.`);
}

/** A sentence about an import that is not allowed, or undefined. */
function complain(
  { specifier, typeOnly, names }: Import,
  at: { file: string; folder: string; self: string; boundary: Boundary },
): string | undefined {
  const { file, folder, self, boundary } = at;
  const isSource = !file.startsWith(`${folder}/test/`);

  if (specifier.startsWith('.')) {
    const path = resolve(root, dirname(file), specifier);
    const target = relative(join(root, folder), path);
    if (!target.startsWith('..')) return undefined;
    // Tests of all packages use them to run fewer cases and to wait for a process.
    const shared = ['scaled.ts', 'first-word.ts'].map((name) => join(root, '.config', name));
    if (!isSource && shared.includes(path)) return undefined;
    return `imports "${specifier}", which lies outside ${folder}; import the other package by its name.`;
  }
  if (isBuiltin(specifier)) {
    const isBuild = file === `${folder}/vite.config.ts`;
    if (boundary.browser !== true || !isSource || isBuild) return undefined;
    return `imports "${specifier}", but ${folder} also runs in a browser and may import no Node module.`;
  }
  if (specifier === 'xstate' && isSource) return complainOfXstate(file, names, typeOnly);
  if (!isOurs(specifier)) return undefined;

  const isPage = file.startsWith(`${folder}/page/`);
  const allowed = [
    self,
    ...boundary.imports,
    ...(isPage ? (boundary.page ?? []) : []),
    ...(isSource ? [] : (boundary.tests ?? [])),
  ];
  const allowedAsTypes = boundary.types ?? [];
  if (matches(specifier, allowed)) return undefined;
  if (typeOnly && matches(specifier, allowedAsTypes)) return undefined;

  const others = allowed.slice(1);
  return [
    `imports "${specifier}", but ${folder}${isSource ? '' : '/test'} may import`,
    others.length > 0
      ? `only ${others.join(', ').replaceAll(', !', ' but not ')} of our packages`
      : 'none of our packages',
    ...(allowedAsTypes.length > 0 ? [`(and types only from ${allowedAsTypes.join(', ')})`] : []),
  ]
    .join(' ')
    .concat('.');
}

/** `names` begins with `type ` for a type. */
function complainOfXstate(
  file: string,
  names: readonly string[],
  typeOnly: boolean,
): string | undefined {
  if (xstateFiles.some((start) => file.startsWith(start))) return undefined;
  const more = names.filter((name) => {
    const type = typeOnly ? name : name.replace(/^type /, '');
    return typeOnly || name.startsWith('type ')
      ? changingXstateTypes.has(type)
      : !stableXstate.has(name);
  });
  return more.length === 0
    ? undefined
    : `imports ${more.join(', ')} of xstate, which changes in XState 6; use an interface of the files listed in xstateFiles.`;
}

/** The source file of ours that a specifier means; undefined for other packages. */
function targetOf(specifier: string, file: string): string | undefined {
  if (!specifier.startsWith('.')) return entryOf.get(specifier);
  const target = relative(root, resolve(root, dirname(file), specifier))
    .split(sep)
    .join('/');
  return /\.[cm]?[jt]sx?$/.test(target) ? target : undefined;
}

/** Source files by the specifiers under which packages of ours export them. */
function entryFiles(): Map<string, string> {
  return new Map(
    workspaceFolders().flatMap((folder) => {
      const { name, exports = {} } = readJson(join(folder, 'package.json'));
      return Object.entries<string | { default?: string }>(exports).flatMap(([subpath, target]) => {
        const built = typeof target === 'string' ? undefined : target.default;
        if (!built?.startsWith('./dist/')) return [];
        const source = built.replace('./dist/', 'src/').replace(/\.js$/, '.ts');
        return [[`${name}${subpath.slice(1)}`, `${folder}/${source}`] as const];
      });
    }),
  );
}

function entriesForBrowsers({ browser }: Boundary): readonly string[] {
  return Array.isArray(browser) ? browser : [];
}

/** Follows the imports of a file: none may be a Node module, or a package of ours that needs one. */
function checkForBrowsers(entry: string): void {
  const pending = [entry];
  for (const file of pending) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const { specifier, typeOnly, offset } of importsOf(file, text)) {
      if (typeOnly) continue;
      if (specifier.startsWith('.')) {
        const target = relative(root, resolve(root, dirname(file), specifier));
        if (!pending.includes(target)) pending.push(target);
      } else if (isBuiltin(specifier) || (isOurs(specifier) && !runsInBrowsers(specifier))) {
        problems.push(
          `${file}:${lineAt(text, offset)} imports "${specifier}", but ${entry} also runs in a browser.`,
        );
      }
    }
  }
}

/** Whether a specifier means a package that runs in a browser as a whole, or one of a package's entries that do. */
function runsInBrowsers(specifier: string): boolean {
  return workspaceFolders().some((folder) => {
    const boundary = boundaries[folder] ?? boundaries[`${dirname(folder)}/*`];
    const { name } = readJson(join(folder, 'package.json'));
    if (boundary?.browser === true) return matches(specifier, [name]);
    const entries = boundary ? entriesForBrowsers(boundary) : [];
    return entries.some((entry) => specifier === entry.replace(/^src/, name).replace(/\.ts$/, ''));
  });
}

function isOurs(specifier: string): boolean {
  return matches(specifier, everything);
}

/** A pattern allows a package with its subpaths; `!` excludes one. */
function matches(specifier: string, patterns: readonly string[]): boolean {
  const covers = (pattern: string): boolean =>
    pattern.endsWith('/*')
      ? specifier.startsWith(pattern.slice(0, -1))
      : specifier === pattern || specifier.startsWith(`${pattern}/`);
  const excluded = patterns.filter((pattern) => pattern.startsWith('!'));
  return patterns.some(covers) && !excluded.some((pattern) => covers(pattern.slice(1)));
}

/** Every import and re-export of a file, with `import()` and types written as `import('…')`. */
function importsOf(file: string, text: string): Import[] {
  const { program, errors } = parseSync(file, text);
  const [error] = errors;
  if (error !== undefined) {
    problems.push(`${file} cannot be read: ${error.message}`);
    return [];
  }
  const found: Import[] = [];
  const add = (source: Node | null, typeOnly: boolean, names: readonly string[] = ['*']): void => {
    if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
    found.push({ specifier: source.value, typeOnly, names, offset: source.start });
  };
  new Visitor({
    ImportDeclaration: (node) =>
      add(
        node.source,
        node.importKind === 'type',
        node.specifiers.map((one) => {
          if (one.type !== 'ImportSpecifier') return '*';
          const name = 'name' in one.imported ? one.imported.name : one.imported.value;
          return one.importKind === 'type' ? `type ${name}` : name;
        }),
      ),
    ExportNamedDeclaration: (node) => add(node.source, node.exportKind === 'type'),
    ExportAllDeclaration: (node) => add(node.source, node.exportKind === 'type'),
    ImportExpression: (node) => add(node.source, false),
    TSImportType: (node) => add(node.source, true),
  }).visit(program);
  return found;
}

function workspaceFolders(): string[] {
  return readJson('package.json')
    .workspaces.flatMap((pattern: string) => globSync(`${pattern}/package.json`, { cwd: root }))
    .map((path: string) => dirname(path).split(sep).join('/'))
    .toSorted();
}

function filesIn(folder: string, name: RegExp): string[] {
  return globSync(`${folder}/**/*`, {
    cwd: root,
    // Templates are programs of other projects.
    exclude: (path) => /(^|[\\/])(node_modules|dist|\.turbo|templates)$/.test(path),
  })
    .filter((path) => name.test(path) && statSync(join(root, path)).isFile())
    .map((path) => path.split(sep).join('/'))
    .toSorted();
}

function readJson(path: string) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
