import type { Chart, ChartNode, ChartTransition, Reference } from '@dramaturg/compiler';
import { legacyEventName } from './event.ts';

/** A machine config as XState 4 reads it, as far as drawing it and resolving its states needs. */
export interface LegacyMachine {
  readonly id: string;
  readonly predictableActionArguments: true;
  readonly [field: string]: unknown;
}

/**
 * A chart in the words of XState 4. Code is a name here as there, and nothing of it runs in the tools that read this. What
 * is approximate is in docs/inspector.md#xstateinspect.
 */
export function legacyMachine(chart: Chart, context: unknown): LegacyMachine {
  return { ...legacyNode(chart), id: chart.id, context, predictableActionArguments: true };
}

/** What stands in for an actor that is no machine: where it is in its life. */
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

/** A chart of a machine that has `after` says so in the name of the event. */
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
    // In XState 5 a transition stays inside unless it says otherwise; in XState 4 it was the other way round.
    internal: reenter !== true,
    ...(description === undefined ? {} : { description }),
    ...(meta ? { meta } : {}),
  };
}

function legacyAction({ type, params }: Reference) {
  return { type, ...(params ? { params } : {}) };
}
