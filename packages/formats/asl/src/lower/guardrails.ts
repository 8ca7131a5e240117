import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import { type GuardrailSide, isJudged } from '../definition/task-blocks.ts';
import { paidEntry, paidNodes } from './budget.ts';
import { hasFailed, type NodeContext, type Recovery, stateParams } from './nodes.ts';
import type { guardrailsBehaviour } from '../behaviour/guardrails.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { references } from '../behaviour/part.ts';

const refer = references<typeof guardrailsBehaviour & typeof stateBehaviour>();

/**
 * Checks rules in their order: consecutive computed rules share one node, each judged rule is a call.
 *
 * @param again where the agent is asked again
 */
export function guardrailNodes(
  sideName: 'Input' | 'Output',
  { rules }: GuardrailSide,
  at: { readonly id: string; readonly context: NodeContext; readonly recover: Recovery },
  again: string | undefined,
  next: ChartTransition,
): Readonly<Record<string, ChartNode>> {
  const { id, context, recover } = at;
  const spans = spansOf(rules.map(isJudged));
  const key = (index: number) => `guard${sideName}${index + 1}`;
  const entry = (index: number) =>
    isJudged(rules[spans[index]!.from]!)
      ? paidEntry(id, context, key(index))
      : `#${id}:${key(index)}`;
  const retry: ChartTransition[] =
    again === undefined
      ? []
      : [
          {
            target: again,
            guard: refer.guard('mustTryAgain', { machine: context.machine }),
          },
        ];
  return Object.fromEntries(
    spans.flatMap(({ from, to }, index): [string, ChartNode][] => {
      const params = { ...stateParams(context, id), side: sideName, from, to };
      const last = index === spans.length - 1;
      const ways = [
        { ...recover.failing(), guard: hasFailed(context) },
        ...retry,
        last ? next : { target: entry(index + 1) },
      ];
      const node = key(index);
      if (!isJudged(rules[from]!)) {
        return [
          [
            node,
            { id: `${id}:${node}`, entry: [refer.action('checkGuardrails', params)], always: ways },
          ],
        ];
      }
      const isSemantic = rules[from]!.type === 'semantic';
      const judged = `${node}Judged`;
      const call: ChartNode = {
        id: `${id}:${node}`,
        invoke: [
          {
            id: `${id}:${node}:call`,
            src: isSemantic ? 'choose' : 'runAgent',
            input: refer.input(isSemantic ? 'semanticCall' : 'judgeCall', params),
            onDone: [{ target: `#${id}:${judged}` }],
            onError: [recover.failing([refer.action('judgeFailed', params)])],
          },
        ],
        meta: { title: rules[from]!.name },
      };
      return [
        ...Object.entries(paidNodes(id, context, recover, node, call)),
        [
          judged,
          { id: `${id}:${judged}`, entry: [refer.action('takeVerdict', params)], always: ways },
        ],
      ];
    }),
  );
}

/** Groups of rules that are checked together; a judged rule is a group of its own. */
function spansOf(judged: readonly boolean[]): { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = [];
  judged.forEach((isAlone, index) => {
    const last = spans.at(-1);
    if (last && !isAlone && !judged[last.from]) last.to = index + 1;
    else spans.push({ from: index, to: index + 1 });
  });
  return spans;
}
