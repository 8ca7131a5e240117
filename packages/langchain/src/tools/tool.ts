import type { JsonObject } from '@dramaturg/compiler';
import type { StructuredToolInterface } from '@langchain/core/tools';

/** A tool of LangChain, or one without it. */
export type Tool =
  | (Pick<StructuredToolInterface, 'name' | 'schema' | 'invoke'> & {
      readonly description?: string;
    })
  | PlainTool;

export interface PlainTool {
  /** A JSON Schema of the arguments; without one, whatever the definition lets through is passed on. */
  readonly parameters?: JsonObject;
  readonly run: (given: JsonObject, use: ToolUse) => unknown;
}

export interface ToolUse {
  /** The name under which it was called. */
  readonly tool: string;
  /** The same when the call is repeated after a crash: a tool that acts twice on one key acts once. */
  readonly key: string;
  /** Aborted when nobody waits for the result any more, or when the time is up. */
  readonly signal: AbortSignal;
}

export interface ToolLimits {
  /** Milliseconds. Default 30 000. */
  readonly time?: number;
  /** Longest result as JSON, in UTF-16 units. Default 100 000. */
  readonly resultSize?: number;
  /** When given, only these may be called. */
  readonly allow?: readonly string[];
  /** These may not be called, whatever `allow` says. */
  readonly deny?: readonly string[];
}

/** The tools by their names. */
export function byName(
  tools: Readonly<Record<string, Tool>> | readonly Tool[] = {},
): ReadonlyMap<string, Tool> {
  if (!Array.isArray(tools)) return new Map(Object.entries(tools));
  return new Map(
    (tools as readonly Tool[]).flatMap((tool) =>
      'name' in tool ? [[tool.name, tool] as const] : [],
    ),
  );
}

/** The JSON Schema of a tool's arguments. LangChain, which knows every kind of schema, is loaded only for its own tools. */
export async function parametersOf(tool: Tool): Promise<JsonObject | undefined> {
  if ('run' in tool) return tool.parameters;
  const { toJsonSchema } = await import('@langchain/core/utils/json_schema');
  return toJsonSchema(tool.schema) as JsonObject;
}
