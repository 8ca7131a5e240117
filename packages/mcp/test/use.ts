import { type Json, type PortCall, PortError } from '@dramaturg/compiler';
import { McpError, type McpOptions, mcpTools, type StdioServer } from '@dramaturg/mcp';

export function stdioServer(file = 'stdio.ts', ...args: string[]): StdioServer {
  const path = new URL(`servers/${file}`, import.meta.url).pathname;
  return { command: process.execPath, args: ['--no-warnings', path, ...args] };
}

export const callOf = (signal: PortCall['signal'] = new AbortController().signal): PortCall => ({
  signal,
  onText: () => {},
});

/** Calls a tool of the server `crm` through the port `callTool`. */
export async function calling(
  options: Partial<McpOptions> & Pick<McpOptions, 'servers'>,
  work: (
    call: (tool: string, input?: Record<string, Json>, signal?: AbortSignal) => Promise<Json>,
    mcp: ReturnType<typeof mcpTools>,
  ) => Promise<void>,
): Promise<void> {
  const allow = Object.fromEntries(
    Object.keys(options.servers).map((name) => [name, '*' as const]),
  );
  await using mcp = mcpTools({ allow, ...options });
  const ports = mcp.ports({});
  await work(async (tool, input = {}, signal?) => {
    const answer = await ports.callTool(
      { key: 'run/1', tool: `mcp:crm/${tool}`, arguments: input },
      callOf(signal),
    );
    return answer.result as Json;
  }, mcp);
}

/** The code of the MCP error with which a call fails. */
export async function codeOf(work: unknown): Promise<string> {
  return Promise.resolve(work).then(
    () => 'no error',
    (error: unknown) =>
      error instanceof PortError && error.cause instanceof McpError
        ? error.cause.code
        : String(error),
  );
}
