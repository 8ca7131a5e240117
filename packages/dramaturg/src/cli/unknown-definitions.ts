import { dirname, join } from 'node:path';
import { isRecord, type JsonObject, read } from '@dramaturg/compiler';
import { formats } from '../known-formats.ts';
import { definitionOf, meantDefinition } from '../host.ts';
import { standardInput, statusOf } from './files.ts';

/** Fields of a workflow whose values are names of agents, or lists of them. */
const namesAgents = /Agents?$|^(?:Using|TieBreaker)$/;

interface DefinitionReference {
  readonly path: (string | number)[];
  /** The name of the definition, or of the agent whose kind of definition is misspelt. */
  readonly name: string;
  /** The correct spelling of that agent. */
  readonly meant?: string;
}

/**
 * The option of workflows that lists the definitions that are named as agents but have no file beside the workflow.
 *
 * @returns no option for a text that is not a workflow, or when no definition is missing
 */
export async function unknownDefinitions(text: string, file: string): Promise<JsonObject> {
  if (file === standardInput) return {};
  const { value } = read(text, { fileName: file });
  if (!isRecord(value) || !isRecord(value['States'])) return {};
  const unknown: JsonObject[] = [];
  for (const reference of referencesIn(value))
    if (reference.meant !== undefined || !(await isBeside(file, reference.name)))
      unknown.push({ ...reference });
  return unknown.length > 0 ? { unknownDefinitions: unknown } : {};
}

function referencesIn(workflow: object): DefinitionReference[] {
  const references: DefinitionReference[] = [];
  const pending: { value: unknown; path: (string | number)[]; field: string }[] = [
    { value: workflow, path: [], field: '' },
  ];
  for (const { value, path, field } of pending) {
    if (typeof value === 'string') {
      const reference = referenceIn(value, path, field);
      if (reference) references.push(reference);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        pending.push({ value: item, path: [...path, index], field });
    } else if (isRecord(value)) {
      for (const [key, part] of Object.entries(value))
        pending.push({ value: part, path: [...path, key], field: key });
    }
  }
  return references;
}

function referenceIn(
  text: string,
  path: (string | number)[],
  field: string,
): DefinitionReference | undefined {
  const isAgent = namesAgents.test(field);
  const meant = isAgent ? meantDefinition(text) : undefined;
  if (meant !== undefined) return { path, name: text, meant };
  const name = isAgent ? definitionOf(text) : field === 'WorkflowId' ? text : undefined;
  // A name with a placeholder or a path in it is only known when the workflow runs.
  return name !== undefined && /^\w[\w.-]*$/.test(name) ? { path, name } : undefined;
}

async function isBeside(file: string, name: string): Promise<boolean> {
  const suffixes = formats.flatMap((format) => format.suffixes);
  for (const suffix of suffixes)
    if ((await statusOf(join(dirname(file), name + suffix)))?.isFile()) return true;
  return false;
}
