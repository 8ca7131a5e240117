import * as z from 'zod';
import type { McpScope } from './mcp-host.ts';

export interface ToolUse {
  readonly signal: AbortSignal;
  /** Asks the person at the client to choose. Undefined when the client cannot ask, or the person does not answer. */
  readonly ask: (message: string, options: readonly string[]) => Promise<string | undefined>;
  /** Reports that the work has reached a state. Absent when the client does not ask for progress. */
  readonly report?: ((state: string) => void) | undefined;
}

/** A tool of the server. */
export interface ServedTool {
  readonly name: string;
  readonly description: string;
  readonly scope: McpScope;
  readonly isReadOnly: boolean;
  readonly input: z.ZodType;
  readonly run: (input: unknown, use: ToolUse) => Promise<unknown>;
}

/** Makes a tool whose input is checked by its schema. */
export function servedTool<Input extends z.ZodType>(
  tool: Omit<ServedTool, 'input' | 'run' | 'isReadOnly'> & {
    readonly input: Input;
    readonly isReadOnly?: boolean;
    readonly run: (input: z.output<Input>, use: ToolUse) => Promise<unknown>;
  },
): ServedTool {
  return {
    isReadOnly: false,
    ...tool,
    run: (input, use) => tool.run(tool.input.parse(input), use),
  };
}

/** A long string from a client. */
export const longText = z.string().min(1).max(1_000_000);
/** Any JSON. A recursive schema would tell a client nothing more. */
export const anyJson = z.unknown();
/** An id or a name. */
export const word = z.string().min(1).max(512);
