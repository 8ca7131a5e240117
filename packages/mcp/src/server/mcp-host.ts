import type { Json } from '@dramaturg/compiler';
import type { Operations, ServedOperations } from '@dramaturg/service/client';

/** What an MCP server needs of a host: that of this process, or one that is served. */
export type McpHost = Operations;

/** A definition that an assistant has written. */
export interface DefinitionText {
  readonly text: string;
  /** The name of its file, by which the format may be detected. */
  readonly fileName?: string | undefined;
}

/** What an assistant in an editor can do with definitions. Nothing of it is stored. */
export interface McpEditor {
  /** The names of the formats. */
  readonly formats: readonly string[];
  readonly check: (definition: DefinitionText) => Promise<Json>;
  readonly compile: (definition: DefinitionText) => Promise<Json>;
  readonly explain: (definition: DefinitionText) => Promise<Json>;
  readonly testState: (
    definition: DefinitionText & {
      readonly state?: string | undefined;
      readonly input?: unknown;
      readonly mock?: unknown;
    },
  ) => Promise<Json>;
  readonly run: (
    definition: DefinitionText & {
      readonly input?: unknown;
      readonly messages?: readonly string[] | undefined;
    },
    signal: AbortSignal,
  ) => Promise<Json>;
}

/** Gives the events of instances, as they happen or after a cursor. */
export type McpEvents = ServedOperations['events'];

export type McpScope = 'read' | 'converse' | 'operate' | 'define';

export type McpAudit = (action: string, outcome: 'started' | 'done' | 'refused') => Promise<void>;

export interface McpServerOptions {
  readonly host: McpHost;
  /** For progress, subscriptions and changed lists. Without it the server has none of them. */
  readonly events?: McpEvents | undefined;
  /** Checks and runs definitions that an assistant writes. Without it the server does not have these tools. */
  readonly editor?: McpEditor | undefined;
  /** Whether the definitions of a format hold conversations or perform tasks. */
  readonly kindOf: (format: string) => string | undefined;
  /** What the client may do. Default: everything. */
  readonly scopes?: readonly string[] | undefined;
  /** Who starts workflows and decides. */
  readonly identity?: { readonly name: string; readonly roles: readonly string[] } | undefined;
  /** Called before and after a tool that changes something for operators. It may reject, and then the tool is not run. */
  readonly audit?: McpAudit | undefined;
  /** Converts a chart to a drawing. */
  readonly draw: (chart: unknown) => string;
}
