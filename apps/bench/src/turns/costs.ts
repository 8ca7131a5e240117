import { machineOf, measuredDefinitions } from '../prompts/definitions.ts';
import { playConversation } from '../prompts/conversation.ts';
import { type Cost, meteredServer, playInLangGraph, type ProgramName } from './langgraph.ts';

const turns = 24;

/** The average cost of a turn. `time` is in milliseconds. */
export interface TurnCost extends Cost {
  readonly time: number;
}

export const variants = ['as it is', 'with combined replies', 'in LangGraph'] as const;

export type Variant = (typeof variants)[number];

/** Plays the conversation of a format, and divides its cost by its turns. */
export async function costOfTurn(name: ProgramName, variant: Variant): Promise<TurnCost> {
  const definition = measuredDefinitions.find((each) => each.name === name)!;
  const { pace, input } = definition;
  const begun = performance.now();
  const cost =
    variant === 'in LangGraph'
      ? (await playInLangGraph(name, turns, pace)).cost
      : await played(variant === 'with combined replies');
  const time = performance.now() - begun;
  const perTurn = (total: number) => total / turns;
  return {
    requests: perTurn(cost.requests),
    inputTokens: perTurn(cost.inputTokens),
    newTokens: perTurn(cost.newTokens),
    outputTokens: perTurn(cost.outputTokens),
    time: perTurn(time),
  };

  async function played(combineReplies: boolean): Promise<Cost> {
    let counted: Cost | undefined;
    const serve = async (answer: Parameters<typeof meteredServer>[0]) => {
      const metered = await meteredServer(answer);
      counted = metered.cost;
      return metered.server;
    };
    const machine = machineOf(definition);
    const options = { combineReplies };
    await playConversation({ machine, turns, pace, options, serve, ...(input && { input }) });
    return counted!;
  }
}
