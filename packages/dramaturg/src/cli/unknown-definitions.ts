import { dirname, join } from 'node:path';
import { isRecord, type JsonObject, read } from '@dramaturg/compiler';
import { formats } from '../known-formats.ts';
import { definitionOf, meantDefinition } from '../host.ts';
import { standardInput, statusOf } from './files.ts';

/** Fields of a workflow whose texts, or lists of texts, name agents. */
const namesAgents = /Agents?$|^(?:Using|TieBreaker)$/;

interface Place {
  readonly path: (string | number)[];
  /** The definition that is named, or the agent whose kind of definition is misspelt. */
  readonly name: string;
  /** How the latter is spelt. */
  readonly meant?: string;
}

/**
 * The option of workflows that says which definitions are named as agents and have no file beside the workflow.
 *
 * @returns no option for a text that is no workflow, or names nothing that is missing
 */
export async function unknownDefinitions(text: string, file: string): Promise<JsonObject> {
  if (file === standardInput) return {};
  const { value } = read(text, { fileName: file });
  if (!isRecord(value) || !isRecord(value['States'])) return {};
  const unknown: JsonObject[] = [];
  for (const place of placesIn(value))
    if (place.meant !== undefined || !(await isBeside(file, place.name)))
      unknown.push({ ...place });
  return unknown.length > 0 ? { unknownDefinitions: unknown } : {};
}

function placesIn(workflow: object): Place[] {
  const places: Place[] = [];
  const pending: { value: unknown; path: (string | number)[]; field: string }[] = [
    { value: workflow, path: [], field: '' },
  ];
  for (const { value, path, field } of pending) {
    if (typeof value === 'string') {
      const place = placeOf(value, path, field);
      if (place) places.push(place);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        pending.push({ value: item, path: [...path, index], field });
    } else if (isRecord(value)) {
      for (const [key, part] of Object.entries(value))
        pending.push({ value: part, path: [...path, key], field: key });
    }
  }
  return places;
}

function placeOf(text: string, path: (string | number)[], field: string): Place | undefined {
  const isAgent = namesAgents.test(field);
  const meant = isAgent ? meantDefinition(text) : undefined;
  if (meant !== undefined) return { path, name: text, meant };
  const name = isAgent ? definitionOf(text) : field === 'WorkflowId' ? text : undefined;
  // A name with a hole or a path in it is found out when the workflow runs.
  return name !== undefined && /^\w[\w.-]*$/.test(name) ? { path, name } : undefined;
}

async function isBeside(file: string, name: string): Promise<boolean> {
  const suffixes = formats.flatMap((format) => format.suffixes);
  for (const suffix of suffixes)
    if ((await statusOf(join(dirname(file), name + suffix)))?.isFile()) return true;
  return false;
}
