import { basename, dirname, join } from 'node:path';
import type { JsonObject } from '@dramaturg/compiler';
import { type AgentReference, detect, read } from '@dramaturg/compiler/format';
import { formats, formatsOf } from '../known-formats.ts';
import { definitionOf, meantDefinition } from '../host.ts';
import { nameOf } from './definition-file.ts';
import { readText, standardInput, statusOf } from './files.ts';

interface DefinitionReference {
  readonly path: (string | number)[];
  /** The name of the definition, or of an agent with a misspelt kind of definition. */
  readonly name: string;
  /** The correct spelling of that agent. */
  readonly meant?: string;
  /** The definitions that lead from the started one back to the checked one. */
  readonly cycle?: readonly string[];
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
    const path = reference.meant === undefined ? await fileBeside(file, reference.name) : undefined;
    const cycle = path !== undefined && isStart(agent) ? await cycleTo(file, path) : undefined;
    if (path === undefined || cycle) unknown.push({ ...reference, ...(cycle && { cycle }) });
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

/** Whether a reference starts a definition at an end, rather than calls it. */
function isStart({ path }: AgentReference): boolean {
  return path.at(-1) === 'start';
}

const cycleMax = 50;

/** The names of the definitions that lead from a started definition back to the file; undefined when none do. */
async function cycleTo(file: string, first: string): Promise<string[] | undefined> {
  const ways: { readonly at: string; readonly names: readonly string[] }[] = [
    { at: first, names: [] },
  ];
  const seen = new Set<string>();
  for (const { at, names } of ways) {
    if (basename(at) === basename(file)) return [...names];
    if (seen.has(at) || seen.size >= cycleMax) continue;
    seen.add(at);
    const { value } = read(await readText(at), { fileName: at });
    const detected = detect(value, formats, { fileName: at });
    if ('problem' in detected) continue;
    const name = nameOf(at);
    for (const agent of detected.format.agentReferences?.(value) ?? []) {
      const next = definitionIn(agent);
      const path = next && !next.meant ? await fileBeside(file, next.name) : undefined;
      if (path !== undefined) ways.push({ at: path, names: [...names, name] });
    }
  }
  return undefined;
}

async function fileBeside(file: string, name: string): Promise<string | undefined> {
  const suffixes = formats.flatMap((format) => format.suffixes);
  for (const suffix of suffixes) {
    const path = join(dirname(file), name + suffix);
    if ((await statusOf(path))?.isFile()) return path;
  }
  return undefined;
}
