import { dirname, join } from 'node:path';
import type { JsonObject } from '@dramaturg/compiler';
import { type AgentReference, detect, read } from '@dramaturg/compiler/format';
import { formats, formatsOf } from '../known-formats.ts';
import { definitionOf, meantDefinition } from '../definition-names.ts';
import { standardInput, statusOf } from './files.ts';

interface DefinitionReference {
  readonly path: (string | number)[];
  /** The name of the definition, or of the agent whose kind of definition is misspelt. */
  readonly name: string;
  /** The correct spelling of that agent. */
  readonly meant?: string;
}

/**
 * The option that lists the definitions that are named as agents but have no file in the folder of the definition.
 *
 * @returns no option for a definition that names no agents, or when no definition is missing
 */
export async function unknownDefinitions(
  text: string,
  file: string,
  format?: string,
): Promise<JsonObject> {
  if (file === standardInput) return {};
  const possible = format === undefined ? formatsOf(file) : formats;
  if (!possible.some(({ agentReferences }) => agentReferences)) return {};
  const { value } = read(text, { fileName: file });
  const detected = detect(value, formats, { format, fileName: file });
  if ('problem' in detected) return {};
  const unknown: JsonObject[] = [];
  for (const agent of detected.format.agentReferences?.(value) ?? []) {
    const reference = definitionIn(agent);
    if (!reference) continue;
    if (reference.meant !== undefined || !(await isBeside(file, reference.name)))
      unknown.push({ ...reference });
  }
  return unknown.length > 0 ? { unknownDefinitions: unknown } : {};
}

function definitionIn({
  path,
  name: agent,
  isDefinition,
}: AgentReference): DefinitionReference | undefined {
  const meant = isDefinition ? undefined : meantDefinition(agent);
  if (meant !== undefined) return { path, name: agent, meant };
  const name = isDefinition ? agent : definitionOf(agent);
  // A name with a placeholder or a path in it is only known when the workflow runs.
  return name !== undefined && /^\w[\w.-]*$/.test(name) ? { path, name } : undefined;
}

async function isBeside(file: string, name: string): Promise<boolean> {
  const suffixes = formats.flatMap((format) => format.suffixes);
  for (const suffix of suffixes)
    if ((await statusOf(join(dirname(file), name + suffix)))?.isFile()) return true;
  return false;
}
