import type { Json } from '@dramaturg/compiler';
import type { Operations, ServedOperations } from '@dramaturg/service/client';

/** The host of an MCP server: in this process, or behind a service. */
export type McpHost = Operations;

/** A definition that an assistant has written. */
export interface DefinitionText {
  readonly text: string;
  /** The name of its file, from which the format may be detected. */
  readonly fileName?: string | undefined;
}

/** Operations on definitions for an assistant in an editor. They store nothing. */
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

/** Streams the events of instances, as they happen or after a cursor. */
export type McpEvents = ServedOperations['events'];

export type McpScope = 'read' | 'converse' | 'operate' | 'define';

export type McpAudit = (action: string, outcome: 'started' | 'done' | 'refused') => Promise<void>;

export interface McpServerOptions {
  readonly host: McpHost;
  /** For progress, subscriptions and changed lists. Without it the server has none of them. */
  readonly events?: McpEvents | undefined;
  /** Checks and runs definitions that an assistant writes. Without it the server does not have these tools. */
  readonly editor?: McpEditor | undefined;
  /** Whether definitions of a format are conversations or tasks. */
  readonly kindOf: (format: string) => string | undefined;
  /** The scopes of the client. Default: everything. */
  readonly scopes?: readonly string[] | undefined;
  /** The identity that starts workflows and decides. */
  readonly identity?: { readonly name: string; readonly roles: readonly string[] } | undefined;
  /** Called before and after a tool that changes something for operators. If it rejects before the tool, the tool is not run. */
  readonly audit?: McpAudit | undefined;
  /** Converts a chart to a drawing. */
  readonly draw: (chart: unknown) => string;
}
