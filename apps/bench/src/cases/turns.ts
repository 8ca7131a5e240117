import { withArticle } from '@dramaturg/compiler/text';
import type { Benchmark } from '../measure.ts';
import { machineOf, measuredDefinitions, playConversation } from '../prompts/conversation.ts';
import { type Cost, meteredServer, playInLangGraph, type ProgramName } from '../turns/langgraph.ts';

const formats = ['plan', 'NPC', 'context graph'] as const;

const quantities = [
  ['requests', 'requests', ''],
  ['input tokens', 'inputTokens', ''],
  ['new input tokens', 'newTokens', ''],
  ['output tokens', 'outputTokens', ''],
  ['time', 'time', 'ms'],
] as const;

const variants = ['as it is', 'with combined replies', 'in LangGraph'] as const;
const turnCount = 24;

/** The model requests of a turn, compared with the same conversation written by hand in LangGraph. */
export const turns: readonly Benchmark[] = formats.flatMap((format) => {
  const known = new Map<Variant, Promise<TurnCost>>();
  const costOf = (variant: Variant) => {
    const cost = known.get(variant) ?? costOfTurn(format, variant);
    known.set(variant, cost);
    return cost;
  };
  const row = (what: string, unit: string, of: () => Promise<number>, atMost?: number) => ({
    name: `turns of ${withArticle(format)}: ${what}`,
    unit,
    rounds: 1,
    ...(atMost !== undefined && { atMost }),
    prepare: async () => {
      const measured = await of();
      return () => measured;
    },
  });
  const over = async (field: 'requests' | 'inputTokens') =>
    (await costOf('with combined replies'))[field] / (await costOf('in LangGraph'))[field];
  return [
    ...variants.flatMap((variant) =>
      quantities.map(([what, field, unit]) =>
        row(`${what} ${variant}`, unit, async () => (await costOf(variant))[field]),
      ),
    ),
    row('requests over those in LangGraph', '', () => over('requests'), 1),
    row('input tokens over those in LangGraph', '', () => over('inputTokens'), 1),
  ];
});

/** The average cost of a turn. `time` is in milliseconds. */
interface TurnCost extends Cost {
  readonly time: number;
}

type Variant = (typeof variants)[number];

/** Plays the conversation of a format, and divides its cost by its turns. */
export async function costOfTurn(name: ProgramName, variant: Variant): Promise<TurnCost> {
  const definition = measuredDefinitions.find((each) => each.name === name)!;
  const { pace, input } = definition;
  const begun = performance.now();
  const cost =
    variant === 'in LangGraph'
      ? (await playInLangGraph(name, turnCount, pace)).cost
      : await played(variant === 'with combined replies');
  const time = performance.now() - begun;
  const perTurn = (total: number) => total / turnCount;
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
    await playConversation({
      machine,
      turns: turnCount,
      pace,
      options,
      serve,
      ...(input && { input }),
    });
    return counted!;
  }
}
