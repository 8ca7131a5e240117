import { McpError } from '../error.ts';
import { shortText } from './result.ts';

interface Circumstances {
  readonly timeMs: number;
  readonly bytesMax: number;
  readonly isTooLarge: boolean;
  readonly isOpening?: boolean;
}

/** JSON-RPC error codes that the SDK makes itself. */
const connectionClosed = -32_000;
const requestTimeout = -32_001;

/** Errors of the SDK's authorization have no common class. */
function isOfAuthorization(error: Error): boolean {
  return 'errorCode' in error || error.constructor.name === 'UnauthorizedError';
}

/** Words an error of the SDK for people. */
export function explained(
  error: unknown,
  server: string,
  { timeMs, bytesMax, isTooLarge, isOpening = false }: Circumstances,
): McpError {
  if (error instanceof McpError) return error;
  const options = { cause: error };
  const { code, message } = error as { code?: unknown; message?: string };
  if (isTooLarge)
    return new McpError(
      'mcp/too-large',
      `The MCP server "${server}" sent a message of more than ${bytesMax} bytes. Return less, or raise limits.resultSize.`,
      options,
    );
  if (code === requestTimeout)
    return new McpError(
      'mcp/timed-out',
      `The MCP server "${server}" did not answer within ${timeMs} milliseconds. Make it faster, or raise limits.timeMs.`,
      options,
    );
  if (error instanceof Error && isOfAuthorization(error))
    return new McpError(
      'mcp/unauthorized',
      `The MCP server "${server}" was not authorized: ${shortText(error.message)} Check its clientCredentials or its authProvider.`,
      options,
    );
  if (code === 401 || code === 403)
    return new McpError(
      'mcp/unauthorized',
      `The MCP server "${server}" does not accept the token (HTTP ${code}). Check the token of the server.`,
      options,
    );
  const said = shortText(message ?? String(error));
  if (isOpening)
    return new McpError(
      'mcp/server-lost',
      `The MCP server "${server}" cannot be reached: ${said} Check its command or its URL.`.replace(
        '.. ',
        '. ',
      ),
      options,
    );
  if (typeof code === 'number' && code < 0 && code !== connectionClosed)
    return new McpError(
      'mcp/bad-answer',
      `The MCP server "${server}" answered with an error: ${said}`,
      options,
    );
  return new McpError(
    'mcp/server-lost',
    `The connection to the MCP server "${server}" ended during the call. It is unknown whether the call had an effect: ${said}`,
    options,
  );
}
