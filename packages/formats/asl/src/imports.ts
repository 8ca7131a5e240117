import { isRecord } from '@dramaturg/compiler';

/** The files that the `Imports` of a workflow name; undefined for a workflow without imports. */
export function importedSources(workflow: unknown): readonly string[] | undefined {
  const imports = isRecord(workflow) && isRecord(workflow['States']) && workflow['Imports'];
  if (!isRecord(imports)) return undefined;
  return Object.values(imports).filter((source) => typeof source === 'string');
}

/**
 * The path of a source from the folder of the workflow; undefined when it is outside. A source that is not a path, such as
 * a URL, is returned unchanged.
 */
export function importedPath(from: string, source: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(source)) return source;
  if (source.startsWith('/') || source.includes('\\')) return undefined;
  const steps = from.split('/').slice(0, -1);
  for (const step of source.split('/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.pop() === undefined) return undefined;
  }
  return steps.join('/');
}
