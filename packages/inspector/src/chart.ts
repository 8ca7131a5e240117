/* oxlint-disable typescript/no-explicit-any -- Machines of any type. */
import type { Chart } from '@dramaturg/compiler';
import type { ChartInvoke, ChartNode, ChartTransition, Reference } from '@dramaturg/compiler/chart';
import type { AnyStateMachine, AnyStateNode } from 'xstate';

/** Whether actor logic is a machine, of this or another copy of XState. */
export function isMachine(logic: unknown): logic is AnyStateMachine {
  const { root, config } = Object(logic) as { root?: { path?: unknown }; config?: unknown };
  return typeof config === 'object' && config !== null && Array.isArray(root?.path);
}

/**
 * A machine as a chart: its nodes, with the names of targets and code. Code is left out: a function is represented by its name.
 * For a linked machine, the result is its chart, without the references of the root.
 */
export function chartOf(machine: AnyStateMachine): Chart {
  return {
    ...nodeOf(machine.root, machine),
    chart: 1,
    format: 'xstate',
    id: machine.id,
    context: { type: 'context' },
    output: { type: 'output' },
  };
}

function nodeOf(node: AnyStateNode, machine: AnyStateMachine): ChartNode {
  const config = node.config as Record<string, any>;
  const states = Object.entries(node.states).map(([key, child]) => [key, nodeOf(child, machine)]);
  const invoke = listOf(config['invoke']).map((call, index) =>
    invokeOf(call, node, index, machine),
  );
  const after = Object.entries(Object(config['after'])).map(([delay, taken]) => [
    `after ${delay}`,
    transitionsOf(taken),
  ]);
  const on = Object.entries(Object(config['on']))
    .filter(([, taken]) => taken !== undefined)
    .map(([event, taken]) => [event, transitionsOf(taken)]);
  return {
    id: node.id,
    ...(['parallel', 'final', 'history'].includes(node.type) ? { type: node.type as 'final' } : {}),
    ...(node.description === undefined ? {} : { description: node.description }),
    ...(typeof config['initial'] === 'string'
      ? { initial: config['initial'] }
      : initialOf(config['initial'])),
    ...list('entry', listOf(config['entry']).map(referenceOf)),
    ...list('exit', listOf(config['exit']).map(referenceOf)),
    ...list('invoke', invoke),
    ...list('always', transitionsOf(config['always'])),
    ...(on.length + after.length > 0 ? { on: Object.fromEntries([...on, ...after]) } : {}),
    ...list('onDone', transitionsOf(config['onDone'])),
    ...list('tags', node.tags),
    ...(states.length > 0 ? { states: Object.fromEntries(states) } : {}),
    ...(config['meta'] ? { meta: config['meta'] } : {}),
  };
}

function initialOf(initial: any): { initial?: string } {
  return typeof initial?.target === 'string' ? { initial: initial.target } : {};
}

function invokeOf(
  call: any,
  { id }: AnyStateNode,
  index: number,
  { implementations }: AnyStateMachine,
): ChartInvoke {
  const src = nameOf(call.src);
  const fields = {
    id: call.id ?? `${index}.${id}`,
    input: { type: 'input' },
    onDone: transitionsOf(call.onDone),
    onError: transitionsOf(call.onError),
  };
  // A linked machine runs charts for items with the compiler's `EachLogic`, which has the machine.
  const { machine } = Object(Object(implementations?.actors)[src]) as {
    readonly machine?: unknown;
  };
  const isEach = src.startsWith('each:') && isMachine(machine);
  return isEach ? { ...fields, src: 'each', chart: chartOf(machine) } : { ...fields, src };
}

function transitionsOf(given: unknown): ChartTransition[] {
  return listOf(given).map((transition: any) => {
    if (typeof transition === 'string') return { target: transition };
    const { target, guard, actions, reenter, description, meta } = transition;
    return {
      ...(target === undefined
        ? {}
        : { target: Array.isArray(target) ? target.map(targetName) : targetName(target) }),
      ...(guard === undefined ? {} : { guard: referenceOf(guard) }),
      ...list('actions', listOf(actions).map(referenceOf)),
      ...(reenter === undefined ? {} : { reenter }),
      ...(description === undefined ? {} : { description }),
      ...(meta === undefined ? {} : { meta }),
    };
  });
}

/** Targets may be given as nodes. */
function targetName(target: any): string {
  return typeof target === 'string' ? target : `#${target?.id ?? ''}`;
}

function referenceOf(given: any): Reference {
  const params =
    typeof given?.params === 'object' && given.params !== null ? given.params : undefined;
  return { type: nameOf(given), ...(params ? { params } : {}) };
}

function nameOf(given: any): string {
  if (typeof given === 'string') return given;
  if (typeof given === 'function') return given.name || given.type || '(code)';
  if (typeof given?.type === 'string') return given.type;
  return isMachine(given) ? given.id : '(code)';
}

function listOf(given: any): any[] {
  if (given === undefined || given === null) return [];
  return Array.isArray(given) ? given : [given];
}

function list<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
): { [Key in Name]?: readonly Item[] } {
  return (items.length > 0 ? { [name]: items } : {}) as never;
}
