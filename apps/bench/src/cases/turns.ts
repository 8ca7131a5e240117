import { withArticle } from '@dramaturg/compiler/text';
import type { Benchmark } from '../measure.ts';
import { costOfTurn, type TurnCost, type Variant, variants } from '../turns/costs.ts';

const formats = ['plan', 'NPC', 'context graph'] as const;

const quantities = [
  ['requests', 'requests', ''],
  ['input tokens', 'inputTokens', ''],
  ['new input tokens', 'newTokens', ''],
  ['output tokens', 'outputTokens', ''],
  ['time', 'time', 'ms'],
] as const;

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
