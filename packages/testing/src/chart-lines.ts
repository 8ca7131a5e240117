import type { Chart } from '@dramaturg/compiler';
import type { ChartInvoke, ChartNode, ChartTransition, Reference } from '@dramaturg/compiler/chart';

/**
 * Prints a chart for review: one line for each node, call, transition and action of a node. Everything in the chart is printed,
 * so two charts with the same lines work alike.
 *
 *     intake #state:intake → ask {"origin":["states",0]}
 *       enter / enterState {"state":"intake"}
 *       on update.set [isKnown] → done / collect "the name is known"
 */
export function chartLines(chart: Chart): string {
  return `${linesOf(chart).join('\n')}\n`;
}

function linesOf({ chart, format, context, output, ...root }: Chart): string[] {
  return [
    `chart ${chart} ${format}`,
    `context ${named(context)}`,
    `output ${named(output)}`,
    ...nodeLines(root.id, root),
  ];
}

function nodeLines(key: string, node: ChartNode): string[] {
  const { id, type, history, initial, description, tags = [], meta } = node;
  const { entry = [], exit = [], invoke = [], always = [], on = {}, onDone = [] } = node;
  const head = words(
    key,
    type && `(${words(type, history)})`,
    id !== key && id && `#${id}`,
    initial && `→ ${initial}`,
    ...tags.map((tag) => `+${tag}`),
    description && JSON.stringify(description),
    meta && JSON.stringify(meta),
  );
  const inner = [
    ...entry.map((action) => `enter / ${named(action)}`),
    ...exit.map((action) => `leave / ${named(action)}`),
    ...invoke.flatMap(callLines),
    ...always.map((each) => transitionLine('always', each)),
    ...Object.entries(on).flatMap(([event, list]) =>
      list.map((each) => transitionLine(`on ${event}`, each)),
    ),
    ...onDone.map((each) => transitionLine('done', each)),
    ...Object.entries(node.states ?? {}).flatMap(([child, state]) => nodeLines(child, state)),
  ];
  return [head, ...indented(inner)];
}

function callLines({ id, src, input, onDone, onError, chart }: ChartInvoke): string[] {
  const inner = [
    ...onDone.map((each) => transitionLine('done', each)),
    ...onError.map((each) => transitionLine('error', each)),
    ...(chart ? linesOf(chart) : []),
  ];
  return [`call ${id}: ${src} ${named(input)}`, ...indented(inner)];
}

function transitionLine(event: string, transition: ChartTransition): string {
  const { target, guard, actions = [], reenter, description, meta } = transition;
  return words(
    event,
    guard && `[${named(guard)}]`,
    target && `${reenter ? 'reenter ' : ''}→ ${[target].flat().join(', ')}`,
    actions.length > 0 && `/ ${actions.map(named).join(', ')}`,
    description && JSON.stringify(description),
    meta && JSON.stringify(meta),
  );
}

function named({ type, params = {} }: Reference): string {
  return words(type, Object.keys(params).length > 0 && JSON.stringify(params));
}

function words(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(' ');
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
