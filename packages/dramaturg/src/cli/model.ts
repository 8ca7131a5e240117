import { askPort, PortError, visible } from '@dramaturg/compiler';
import { langchainPorts, type LangchainPorts, requireModel } from '@dramaturg/langchain';
import type { Command } from 'commander';
import { UsageError } from './usage-error.ts';
import { agentsPort, type Crew, requireNoDefinition } from './workflow/agents.ts';
import type { AgentsPort } from './workflow/run-workflow.ts';

export interface ModelOptions {
  /** `provider:model`, in LangChain's spelling. */
  readonly model?: string | undefined;
  /** The server, if it is not the provider's. */
  readonly baseUrl?: string | undefined;
}

export function withModelOptions(on: Command): Command {
  return on
    .option(
      '--model <provider:model>',
      'a language model in place of the understudy, such as openai:gpt-5; its key is in the environment',
    )
    .option(
      '--base-url <url>',
      "the server of the model, if not its provider's: http://localhost:11434/v1",
    );
}

/**
 * The ports of the model that was asked for; undefined when none was.
 *
 * @param tools those that agents whom the model plays may ask for
 * @throws UsageError when it cannot be loaded, and says what is missing
 */
export async function portsOfModel(
  { model, baseUrl }: ModelOptions,
  tools?: Crew['tools'],
): Promise<LangchainPorts | undefined> {
  if (model === undefined) {
    if (baseUrl === undefined) return undefined;
    throw new UsageError(
      'A server without a model says nothing.',
      'Name one of its models: --model openai:<name>, where "openai" is the protocol that it speaks.',
    );
  }
  if (baseUrl !== undefined) requireUrl(baseUrl);
  // LangChain warns where our own output belongs.
  console.log = console.warn;
  try {
    await requireModel({ model, baseUrl });
  } catch (error) {
    if (error instanceof PortError) throw new UsageError(...sentenceAndHint(error.message));
    throw error;
  }
  return langchainPorts({ model, baseUrl, tools, playAgents: true });
}

/** Those of a module where it has them; the model plays the rest. */
export function agentsWithModel({ runAgent }: LangchainPorts, crew: Crew | undefined): AgentsPort {
  const own = crew && agentsPort(crew);
  return async (call, use) => {
    if (own && crew.agents.has(call.agent)) return own(call, use);
    requireNoDefinition(call.agent);
    return askPort('runAgent', runAgent, call, {
      signal: use.signal,
      onText: () => {},
    }) as ReturnType<AgentsPort>;
  };
}

function requireUrl(given: string): void {
  if (/^https?:$/.test(URL.parse(given)?.protocol ?? '')) return;
  throw new UsageError(
    `"${visible(given)}" is not the address of a server.`,
    'Write it like this: --base-url http://localhost:11434/v1',
  );
}

/** What is wrong, and behind the colon what to do. */
function sentenceAndHint(message: string): [string, string] {
  const [, wrong = message, hint = ''] =
    /^(.*?[^:]): ((?:set|write|run|check|pass) .*)$/s.exec(message) ?? [];
  return [`${wrong.replace(/\.$/, '')}.`, hint.charAt(0).toUpperCase() + hint.slice(1)];
}
