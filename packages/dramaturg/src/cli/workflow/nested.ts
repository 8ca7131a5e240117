import { dirname, join } from 'node:path';
import type { Chart, Compiled } from '@dramaturg/compiler';
import { formatNamed, formats } from '../../known-formats.ts';
import { definitionOf } from '../../definition-names.ts';
import type { DefinitionOptions } from '../definition-options.ts';
import { standardInput, statusOf } from '../files.ts';
import { type DefinitionFile, readDefinition } from '../definition-file.ts';

/** Endings of files with a definition of a given name, in the folder of the workflow. Workflows come first. */
const suffixes = formats
  .toSorted((a, b) => Number(b.kind === 'workflow') - Number(a.kind === 'workflow'))
  .flatMap((format) => format.suffixes);

/** Limits the number of files that one workflow can load. */
const mostDefinitions = 200;

/**
 * The definitions that a workflow runs as agents, directly or indirectly: the given ones, else files with their names in the
 * folder of the workflow. Names without a definition are agents.
 *
 * @throws DefinitionError when one of them has errors
 */
export async function nestedDefinitions(
  workflow: Compiled,
  file: string,
  given: Readonly<Record<string, DefinitionFile>>,
): Promise<ReadonlyMap<string, DefinitionFile>> {
  const found = new Map<string, DefinitionFile>();
  const pending = [workflow];
  for (const each of pending) {
    for (const name of namesIn(each.chart)) {
      if (found.has(name) || found.size >= mostDefinitions) continue;
      const nested = Object.hasOwn(given, name) ? given[name] : await beside(file, name);
      if (!nested) continue;
      found.set(name, nested);
      pending.push(nested.compiled);
    }
  }
  return found;
}

async function beside(file: string, name: string): Promise<DefinitionFile | undefined> {
  // The name comes from a definition: it must not lead to another folder.
  if (file === standardInput || !/^[\w][\w.-]*$/.test(name)) return undefined;
  for (const suffix of suffixes) {
    const path = join(dirname(file), `${name}${suffix}`);
    if (!(await statusOf(path))?.isFile()) continue;
    return readDefinition(path, name, {} satisfies DefinitionOptions);
  }
  return undefined;
}

/** The names of definitions that a chart may run. Agents are named in many places, so any string in such a form counts. */
function namesIn(chart: Chart | undefined): Set<string> {
  const references = formatNamed(chart?.format)?.agentReferences?.(chart) ?? [];
  const names = new Set(
    references.flatMap(({ name, isDefinition }) => (isDefinition ? [name] : [])),
  );
  const pending: unknown[] = [chart];
  for (const part of pending) {
    const name = typeof part === 'string' ? definitionOf(part) : undefined;
    if (name !== undefined) names.add(name);
    if (typeof part === 'object' && part !== null) pending.push(...Object.values(part));
  }
  return names;
}

/** The names of the definitions that a definition calls as agents, whether or not they exist. */
export function calledDefinitions({ format, filled, source }: Compiled): readonly string[] {
  const references = formatNamed(format)?.agentReferences?.(filled ?? source.value) ?? [];
  const names = references.flatMap(({ name, isDefinition }) =>
    isDefinition ? name : (definitionOf(name) ?? []),
  );
  return [...new Set(names)];
}
