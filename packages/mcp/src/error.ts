import { DramaturgError } from '@dramaturg/compiler';

export type McpErrorCode =
  /** The options name a server or a limit that makes no sense. */
  | 'mcp/options'
  | 'mcp/unknown-server'
  | 'mcp/unknown-tool'
  | 'mcp/not-allowed'
  /** The tool has another description or other parameters than when it was first listed. */
  | 'mcp/tool-changed'
  | 'mcp/timed-out'
  | 'mcp/too-large'
  /** The server does not start or answer, or its connection ended during the call. */
  | 'mcp/server-lost'
  | 'mcp/unauthorized'
  /** The server answers with an error of the protocol, or with something else than MCP. */
  | 'mcp/bad-answer'
  /** The tool ran and reported that it failed. */
  | 'mcp/tool-failed';

/** The names by which a workflow catches failures. */
const errorNames: Readonly<Record<McpErrorCode, string>> = {
  'mcp/options': 'States.AgentInvocationFailed',
  'mcp/unknown-server': 'States.AgentNotFound',
  'mcp/unknown-tool': 'States.AgentNotFound',
  'mcp/not-allowed': 'Mcp.NotAllowed',
  'mcp/tool-changed': 'Mcp.ToolChanged',
  'mcp/timed-out': 'States.Timeout',
  'mcp/too-large': 'Mcp.TooLarge',
  'mcp/server-lost': 'Mcp.ServerLost',
  'mcp/unauthorized': 'Mcp.Unauthorized',
  'mcp/bad-answer': 'Mcp.BadAnswer',
  'mcp/tool-failed': 'Mcp.ToolFailed',
};

/** A failure in the use of an MCP server. */
export class McpError extends DramaturgError<McpErrorCode> {
  override readonly name = 'McpError';
  /** The name by which a workflow catches the failure, such as `Mcp.ToolFailed`. */
  readonly error: string;

  constructor(code: McpErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(code, message, options);
    this.error = errorNames[code];
  }
}
