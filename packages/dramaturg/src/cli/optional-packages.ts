import type * as langchain from '@dramaturg/langchain';
import type * as mcp from '../mcp.ts';
import { exitCodes, UsageError } from './usage-error.ts';

/** Loads what answers with language models. @throws UsageError `langchain/not-installed` */
export async function loadLangchain(): Promise<typeof langchain> {
  return loadOptional('langchain', 'A language model', () => import('@dramaturg/langchain'));
}

/** Loads the MCP server. @throws UsageError `mcp/not-installed` */
export async function loadMcp(): Promise<typeof mcp> {
  return loadOptional('mcp', 'MCP', () => import('../mcp.ts'));
}

/** Loads an optional peer: a package that most installations do not need. */
async function loadOptional<Module>(
  name: 'langchain' | 'mcp',
  need: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    const isMissing =
      code === 'ERR_MODULE_NOT_FOUND' &&
      String(message).startsWith(`Cannot find package '@dramaturg/${name}'`);
    if (!isMissing) throw error;
    throw new UsageError(
      `${need} needs the package @dramaturg/${name}, which is not installed.`,
      `Run: npm install @dramaturg/${name}`,
      exitCodes.usage,
      `${name}/not-installed`,
    );
  }
}
