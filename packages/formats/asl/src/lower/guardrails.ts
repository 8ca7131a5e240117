import type { ChartTransition } from '@dramaturg/compiler/chart';
import type { guardrailsBehaviour } from '../behaviour/guardrails.ts';
import { references } from '../behaviour/part.ts';
import { type GuardrailSide, isJudged } from '../definition/task-blocks.ts';
import { paidCall, paidEntry } from './budget.ts';
import type { Nodes, StateNodes } from './nodes.ts';

const refer = references<typeof guardrailsBehaviour>();

/**
 * Checks rules in their order: consecutive computed rules share one node, each judged rule is a call.
 *
 * @param again where the agent is asked again
 */
export function guardrailNodes(
  nodes: StateNodes,
  side: 'Input' | 'Output',
  { rules }: GuardrailSide,
  again: string | undefined,
  next: ChartTransition,
): Nodes {
  const { machine } = nodes.context;
  const spans = spansOf(rules.map(isJudged));
  const key = (index: number) => `guard${side}${index + 1}`;
  const entry = (index: number) =>
    isJudged(rules[spans[index]!.from]!) ? paidEntry(nodes, key(index)) : nodes.to(key(index));
  const retry =
    again === undefined ? [] : [{ target: again, guard: refer.guard('mustTryAgain', { machine }) }];
  const groups = spans.map(({ from, to }, index): Nodes => {
    const rule = rules[from]!;
    const params = { ...nodes.params, side, from, to };
    const ways = [...retry, index === spans.length - 1 ? next : { target: entry(index + 1) }];
    const node = key(index);
    if (!isJudged(rule)) return nodes.step(node, refer.action('checkGuardrails', params), ...ways);
    const isSemantic = rule.type === 'semantic';
    const call = {
      name: `${node}:call`,
      src: isSemantic ? 'choose' : 'runAgent',
      input: refer.input(isSemantic ? 'semanticCall' : 'judgeCall', params),
      done: `${node}Judged`,
      failed: refer.action('judgeFailed', params),
    } as const;
    return {
      ...paidCall(nodes, node, call, { meta: { title: rule.name } }),
      ...nodes.step(`${node}Judged`, refer.action('takeVerdict', params), ...ways),
    };
  });
  return Object.assign({}, ...groups) as Nodes;
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
