import { PortError } from '@dramaturg/compiler';
import { askPort } from '@dramaturg/compiler/machine';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { visible } from '@dramaturg/compiler/text';
import type { LangchainPorts } from '@dramaturg/langchain';
import { loadLangchain } from './optional-packages.ts';
import { UsageError } from './usage-error.ts';
import { agentsPort, type Crew, requirePlayable } from './workflow/agents.ts';
import type { AgentsPort } from './workflow/agents-port.ts';
import type { Command } from './command.ts';

export interface ModelOptions {
  /** `provider:model`, in LangChain's spelling. */
  readonly model?: string | undefined;
  /** The server of the model, where it is not the provider's own. */
  readonly baseUrl?: string | undefined;
  /** Ask for data and the next message in one request. */
  readonly combineReplies?: boolean | undefined;
}

export function withModelOptions(on: Command): Command {
  return on
    .option(
      '--model <provider:model>',
      'use a language model instead of the understudy, such as openai:gpt-6-luna; its key is read from the environment',
    )
    .option(
      '--base-url <url>',
      'another server than the one of the provider, such as http://localhost:11434/v1; an address with a key belongs in the variable DRAMATURG_BASE_URL',
    )
    .option(
      '--combine-replies',
      'ask the model for data and the next message in one request where possible: fewer requests, but replies are not streamed',
    );
}

/**
 * The ports of the model that `--model` names; undefined without the option.
 *
 * @param tools the tools for agents that the model plays
 * @throws UsageError that says what is missing when the model cannot be loaded
 */
export async function portsOfModel(
  { model, baseUrl: given, combineReplies }: ModelOptions,
  tools?: Crew['tools'],
): Promise<LangchainPorts | undefined> {
  if (model === undefined) {
    if (combineReplies === true)
      throw new UsageError(
        '--combine-replies needs a model.',
        'Name one, such as --model openai:gpt-6-luna, or leave the option out.',
      );
    if (given === undefined) return undefined;
    throw new UsageError(
      '--base-url needs a model.',
      'Name a model of that server: --model openai:<name>, where "openai" is the protocol of the server.',
    );
  }
  const baseUrl = given ?? (process.env['DRAMATURG_BASE_URL'] || undefined);
  if (baseUrl !== undefined) requireUrl(baseUrl);
  const { langchainPorts, requireModel } = await loadLangchain();
  // LangChain prints warnings on standard output, which is for results.
  console.log = console.warn;
  try {
    await requireModel({ model, baseUrl });
  } catch (error) {
    if (error instanceof PortError) throw new UsageError(...sentenceAndHint(error.message));
    throw error;
  }
  return langchainPorts({ model, baseUrl, combineReplies, tools, playAgents: true });
}

/** Runs the agents of a module, and lets the model play all others. */
export function agentsWithModel({ runAgent }: LangchainPorts, crew: Crew | undefined): AgentsPort {
  const own = crew && agentsPort(crew);
  return async (call, use) => {
    if (own && crew.agents.find(call.agent)) return own(call, use);
    requirePlayable(call.agent);
    return askPort('runAgent', runAgent, call, {
      signal: use.signal,
      onText: use.onText,
    }) as ReturnType<AgentsPort>;
  };
}

function requireUrl(given: string): void {
  if (/^https?:$/.test(URL.parse(given)?.protocol ?? '')) return;
  throw new UsageError(
    `"${visible(withoutSecrets(given))}" is not the address of a server.`,
    'Write it like this: --base-url http://localhost:11434/v1',
  );
}

/** Splits a message of LangChain: the problem, and after the colon what to do. */
function sentenceAndHint(message: string): [string, string] {
  const [, wrong = message, hint = ''] =
    /^(.*?[^:]): ((?:set|write|run|check|pass) .*)$/s.exec(message) ?? [];
  return [`${wrong.replace(/\.$/, '')}.`, hint.charAt(0).toUpperCase() + hint.slice(1)];
}
