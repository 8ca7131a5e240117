import type { AnyFormat } from '@dramaturg/compiler';

/** The packages of formats by path. Each is loaded at its first use: a story of one format loads no other format. */
const packages = import.meta.glob<Readonly<Record<string, unknown>>>(
  '../../../../packages/formats/*/dist/index.js',
);

const cache = new Map<string, Promise<readonly AnyFormat[]>>();

/**
 * Loads a format. The same name gets the same promise, as `use` requires.
 *
 * @param name loads all formats when it is left out
 */
export function loadFormats(name?: string): Promise<readonly AnyFormat[]> {
  const key = name ?? '';
  const loading = cache.get(key) ?? load(name);
  cache.set(key, loading);
  return loading;
}

async function load(name: string | undefined): Promise<readonly AnyFormat[]> {
  const paths = Object.keys(packages).filter(
    (path) => name === undefined || path.includes(`/formats/${name}/`),
  );
  const modules = await Promise.all(paths.map((path) => packages[path]!()));
  // Loads JSONata, because people also write workflows with it here.
  for (const { loadWorkflowEngines } of modules)
    if (typeof loadWorkflowEngines === 'function') await loadWorkflowEngines();
  return modules.flatMap((module) => Object.values(module).filter(isFormat));
}

function isFormat(value: unknown): value is AnyFormat {
  return typeof value === 'object' && value !== null && 'recognise' in value && 'kind' in value;
}
