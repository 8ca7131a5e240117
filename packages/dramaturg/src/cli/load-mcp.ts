import type * as mcp from '../mcp.ts';
import { exitCodes, UsageError } from './usage-error.ts';

/**
 * Loads the MCP server. Its package is an optional peer: most installations do not need it.
 *
 * @throws UsageError when the package is not installed
 */
export async function loadMcp(): Promise<typeof mcp> {
  try {
    return await import('../mcp.ts');
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' && String(message).includes('@dramaturg/mcp');
    if (!isMissing) throw error;
    throw new UsageError(
      'MCP needs the package @dramaturg/mcp, which is not installed.',
      'Run: npm install @dramaturg/mcp',
      exitCodes.usage,
      'mcp/not-installed',
    );
  }
}
