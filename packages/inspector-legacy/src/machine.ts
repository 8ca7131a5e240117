import type { Chart } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition, Reference } from '@dramaturg/compiler/chart';
import { legacyEventName } from './event.ts';

/** The part of an XState 4 machine config that drawing and resolving states needs. */
export interface LegacyMachine {
  readonly id: string;
  readonly predictableActionArguments: true;
  readonly [field: string]: unknown;
}

/**
 * A chart as an XState 4 config. Code is only named, and does not run in tools that read this. For approximations see
 * docs/inspector.md#xstateinspect.
 */
export function legacyMachine(chart: Chart, context: unknown): LegacyMachine {
  return { ...legacyNode(chart), id: chart.id, context, predictableActionArguments: true };
}

/** The machine that represents an actor without a machine, by its status. */
export function standInMachine(id: string, context: unknown): LegacyMachine {
  return {
    id,
    predictableActionArguments: true,
    initial: 'active',
    context,
    states: {
      active: { on: { done: 'done', error: 'error', stop: 'stopped' } },
      done: { type: 'final' },
      error: { type: 'final' },
      stopped: { type: 'final' },
    },
  };
}

function legacyNode(node: ChartNode): Record<string, unknown> {
  const {
    id,
    type,
    description,
    initial,
    entry,
    exit,
    invoke,
    always,
    onDone,
    tags,
    states,
    meta,
  } = node;
  const { on, after } = eventsOf(node);
  return {
    ...(id === undefined ? {} : { id }),
    ...(type === undefined ? {} : { type }),
    ...(description === undefined ? {} : { description }),
    ...(initial === undefined ? {} : { initial }),
    ...(entry ? { entry: entry.map(legacyAction) } : {}),
    ...(exit ? { exit: exit.map(legacyAction) } : {}),
    ...(invoke
      ? {
          invoke: invoke.map((call) => ({
            id: call.id,
            src: call.src,
            onDone: call.onDone.map(legacyTransition),
            onError: call.onError.map(legacyTransition),
          })),
        }
      : {}),
    ...(always ? { always: always.map(legacyTransition) } : {}),
    ...(on ? { on } : {}),
    ...(after ? { after } : {}),
    ...(onDone ? { onDone: onDone.map(legacyTransition) } : {}),
    ...(tags ? { tags } : {}),
    ...(meta ? { meta } : {}),
    ...(states
      ? {
          states: Object.fromEntries(
            Object.entries(states).map(([key, child]) => [key, legacyNode(child)]),
          ),
        }
      : {}),
  };
}

const delayed = /^after (.+)$/;

/** In a chart, `after` is part of the event name. */
function eventsOf(node: ChartNode): {
  readonly on?: Record<string, unknown>;
  readonly after?: Record<string, unknown>;
} {
  const entries = Object.entries(node.on ?? {}).map(
    ([event, taken]) => [event, taken.map(legacyTransition)] as const,
  );
  const on = entries
    .filter(([event]) => !delayed.test(event))
    .map(([event, taken]) => [legacyEventName(event), taken] as const);
  const after = entries.flatMap(([event, taken]) => {
    const delay = delayed.exec(event)?.[1];
    return delay === undefined ? [] : [[delay, taken] as const];
  });
  return {
    ...(on.length > 0 ? { on: Object.fromEntries(on) } : {}),
    ...(after.length > 0 ? { after: Object.fromEntries(after) } : {}),
  };
}

function legacyTransition({ target, guard, actions, reenter, description, meta }: ChartTransition) {
  return {
    ...(target === undefined ? {} : { target }),
    ...(guard
      ? { cond: { type: guard.type, ...(guard.params ? { params: guard.params } : {}) } }
      : {}),
    ...(actions ? { actions: actions.map(legacyAction) } : {}),
    // Transitions are internal by default in XState 5, and external in XState 4.
    internal: reenter !== true,
    ...(description === undefined ? {} : { description }),
    ...(meta ? { meta } : {}),
  };
}

function legacyAction({ type, params }: Reference) {
  return { type, ...(params ? { params } : {}) };
}
