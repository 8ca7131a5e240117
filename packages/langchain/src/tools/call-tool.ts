import type { Port } from '@dramaturg/compiler';
import { callToolPort as plainPort } from '@dramaturg/host/tools';
import type { LangchainOptions } from '../options.ts';
import { plainTools } from './plain-tools.ts';

/** Runs tools of LangChain and plain functions. */
export function callToolPort({
  tools,
  toolLimits = {},
}: Pick<LangchainOptions, 'tools' | 'toolLimits'>): Port<'callTool'> {
  let port: Promise<Port<'callTool'>> | undefined;
  const load = async () => plainPort({ tools: await plainTools(tools), toolLimits });
  return async (input, call) => (await (port ??= load()))(input, call);
}
