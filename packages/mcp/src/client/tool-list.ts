import { createHash } from 'node:crypto';
import { isRecord, type JsonObject } from '@dramaturg/compiler';

/** A tool as a server lists it. All texts are those of the server: untrusted. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** The tools of a server, and what they were when they were first listed. */
export class ToolList {
  #tools = new Map<string, ListedTool>();
  /** By name: a hash of the tool as first listed. Invariant: an entry is never replaced. */
  readonly #first = new Map<string, string>();

  get names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  replace(listed: readonly ListedTool[]): void {
    this.#tools = new Map(listed.map((tool) => [tool.name, tool]));
    for (const tool of listed)
      if (!this.#first.has(tool.name)) this.#first.set(tool.name, hashOf(tool));
  }

  get(name: string): ListedTool | undefined {
    return this.#tools.get(name);
  }

  hasChanged(tool: ListedTool): boolean {
    return this.#first.get(tool.name) !== hashOf(tool);
  }
}

/** Reads an entry of a list. An entry of another shape is left out. */
export function listedTool(entry: unknown): ListedTool | undefined {
  if (!isRecord(entry) || typeof entry['name'] !== 'string') return undefined;
  const { name, description, inputSchema } = entry;
  return {
    name,
    description: typeof description === 'string' ? description : '',
    parameters: (isRecord(inputSchema) ? inputSchema : { type: 'object' }) as JsonObject,
  };
}

function hashOf({ name, description, parameters }: ListedTool): string {
  return createHash('sha256')
    .update(JSON.stringify([name, description, sorted(parameters)]))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, sorted(each)] as const);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}
