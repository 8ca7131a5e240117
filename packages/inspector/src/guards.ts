import type { GuardReason } from '@dramaturg/compiler/format';
import type { Behaviour } from '@dramaturg/compiler/machine';

/** An evaluated guard. */
export interface EvaluatedGuard {
  readonly guard: string;
  readonly params: unknown;
  readonly event: { readonly type: string };
  /** The context fields that the guard read. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly result: boolean;
  /** The reason for the result, in the author's words. Absent for a guard that the author did not write. */
  readonly reason?: GuardReason;
}

export type GuardListener = (asked: EvaluatedGuard) => void;

/**
 * A behaviour that reports each evaluated guard. Link a chart with it and with `fuse: false`, so that each state is a
 * separate step:
 *
 *     const machine = link(chart, watchGuards(format.behaviour, inspector.recordGuard), { fuse: false });
 */
export function watchGuards(behaviour: Behaviour, onGuard: GuardListener): Behaviour {
  const guards = Object.entries(behaviour.guards).map(([name, guard]) => [
    name,
    ((scope, params) => {
      const inputs: Record<string, unknown> = {};
      const result = guard({ ...scope, context: recordingReads(scope.context, inputs) }, params);
      const { event } = scope;
      const reason = behaviour.reasons?.[name]?.(scope, params, result);
      onGuard({ guard: name, params, event, inputs, result, ...(reason ? { reason } : {}) });
      return result;
    }) satisfies Behaviour['guards'][string],
  ]);
  return { ...behaviour, guards: Object.fromEntries(guards) };
}

/** A proxy of an object that records which fields are read. */
function recordingReads(context: object, read: Record<string, unknown>): object {
  return new Proxy(context, {
    get: (target, name, receiver) => {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof name === 'string') read[name] = value;
      return value;
    },
  });
}
