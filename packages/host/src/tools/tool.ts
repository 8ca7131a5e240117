import type { JsonObject } from '@dramaturg/compiler';

/** A function that the port `callTool` runs. */
export interface PlainTool {
  /** What the tool does, for a model. */
  readonly description?: string;
  /** A JSON Schema of the arguments. Without one, only the schema of the definition is checked. */
  readonly parameters?: JsonObject;
  /** Whether a call that timed out may be made again. Its idempotency key stays the same. */
  readonly idempotent?: boolean;
  /** An error that it throws is its answer. One with `temporary: true` is not: a host makes the call again. */
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
