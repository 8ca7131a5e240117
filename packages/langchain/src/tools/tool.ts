import type { JsonObject } from '@dramaturg/compiler';
import type { StructuredToolInterface } from '@langchain/core/tools';

/** A tool of LangChain, or a plain function. */
export type Tool =
  | (Pick<StructuredToolInterface, 'name' | 'schema' | 'invoke'> & {
      readonly description?: string;
    })
  | PlainTool;

export interface PlainTool {
  /** A JSON Schema of the arguments. Without one, only the schema of the definition is checked. */
  readonly parameters?: JsonObject;
  readonly run: (input: JsonObject, use: ToolUse) => unknown;
}

export interface ToolUse {
  /** The name by which the definition called the tool. */
  readonly tool: string;
  /** The idempotency key: it stays the same when the call is repeated after a crash. */
  readonly key: string;
  /** Aborted when the call is cancelled or times out. */
  readonly signal: AbortSignal;
}

export interface ToolLimits {
  /** Milliseconds. Default 30 000. */
  readonly time?: number;
  /** The maximum length of a result as JSON, in UTF-16 units. Default 100 000. */
  readonly resultSize?: number;
  /** If given, only these tools may be called. */
  readonly allow?: readonly string[];
  /** These tools may not be called, even if `allow` contains them. */
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

/** The JSON Schema of a tool's arguments. LangChain, which converts schemas of other kinds, is loaded only for its tools. */
export async function parametersOf(tool: Tool): Promise<JsonObject | undefined> {
  if ('run' in tool) return tool.parameters;
  const { toJsonSchema } = await import('@langchain/core/utils/json_schema');
  return toJsonSchema(tool.schema) as JsonObject;
}
