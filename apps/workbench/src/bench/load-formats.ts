import type { AnyFormat } from '@dramaturg/compiler';

/** The packages of formats by path. Each is loaded when it is first needed: a story of one format loads no other. */
const packages = import.meta.glob<Readonly<Record<string, unknown>>>(
  '../../../../packages/formats/*/dist/index.js',
);

const known = new Map<string, Promise<readonly AnyFormat[]>>();

/** @param name of one format; all of them when left out. The same question has the same promise. */
export function loadFormats(name?: string): Promise<readonly AnyFormat[]> {
  const key = name ?? '';
  const loading = known.get(key) ?? load(name);
  known.set(key, loading);
  return loading;
}

async function load(name: string | undefined): Promise<readonly AnyFormat[]> {
  const paths = Object.keys(packages).filter(
    (path) => name === undefined || path.includes(`/formats/${name}/`),
  );
  const modules = await Promise.all(paths.map((path) => packages[path]!()));
  return modules.flatMap((module) => Object.values(module).filter(isFormat));
}

function isFormat(value: unknown): value is AnyFormat {
  return typeof value === 'object' && value !== null && 'recognise' in value && 'kind' in value;
}
