/**
 * The examples of what the package `dramaturg` and the main entry of the compiler export: they are in the docstrings of the declarations, in whichever package those are. A test
 * runs them, and the reference shows them.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from './blocks.ts';

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | { readonly types?: string }>>;
}

/** Where a name is declared. */
interface Declaration {
  readonly file: string;
  readonly name: string;
  /** The offset of the statement. */
  readonly start: number;
}

const sources = new Map(
  globSync('packages/{*,channels/*,formats/*}/package.json', { cwd: root }).flatMap((path) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
    return Object.entries(exports).flatMap(([entry, target]) =>
      typeof target === 'object' && target.types !== undefined
        ? [[`${name}${entry.slice(1)}`, sourceOf(join(root, dirname(path), target.types))] as const]
        : [],
    );
  }),
);

function sourceOf(types: string): string {
  return types.replace(/\/dist\/(?=[^/]*(?:\/[^/]*)*$)/, '/src/').replace(/\.d\.ts$/, '.ts');
}

/** The entries of all packages here, such as `@dramaturg/testing`. */
export const allEntries: readonly string[] = [...sources.keys()];

/** The entries with examples: those of the package `dramaturg`, such as `dramaturg/editor`, and the main one of the compiler. */
export const entries: readonly string[] = allEntries
  .filter((specifier) => /^(?:dramaturg(?:\/|$)|@dramaturg\/compiler$)/.test(specifier))
  .toSorted();

/** The code of the example in the docstring of an exported value; undefined without one. */
export function exampleOf(entry: string, name: string): string | undefined {
  const found = declarationOf(sources.get(entry)!, name);
  if (!found) return undefined;
  const { comments } = parsed(found.file);
  const text = readFileSync(found.file, 'utf8');
  const docs = comments.findLast(
    ({ value, end }) =>
      value.startsWith('*') && end <= found.start && text.slice(end, found.start).trim() === '',
  );
  const lines = docs?.value.replaceAll(/^ *\* ?/gm, '');
  return lines && /^@example\n```ts\n([^]*?)^```$/m.exec(lines)?.[1];
}

/** Follows exports that pass a name on, to the statement that declares it. */
function declarationOf(file: string, name: string): Declaration | undefined {
  const { module, program } = parsed(file);
  for (const { start, entries: exported } of module.staticExports)
    for (const { exportName, importName, localName, moduleRequest } of exported) {
      if (moduleRequest && exportName.name === null) {
        const found = declarationOf(fileOf(moduleRequest.value, file), name);
        if (found) return found;
      } else if (exportName.name === name) {
        if (moduleRequest)
          return declarationOf(fileOf(moduleRequest.value, file), importName.name ?? name);
        const statement = program.body.find((each) => each.start === start);
        if (statement) return { file, name: localName.name ?? name, start };
      }
    }
  return undefined;
}

function fileOf(specifier: string, from: string): string {
  if (specifier.startsWith('.')) return join(dirname(from), specifier);
  const source = sources.get(specifier);
  if (source === undefined) throw new Error(`${from} imports "${specifier}", which is not ours.`);
  return source;
}

const files = new Map<string, ReturnType<typeof parseSync>>();

function parsed(file: string) {
  const known = files.get(file) ?? parseSync(file, readFileSync(file, 'utf8'));
  files.set(file, known);
  return known;
}
