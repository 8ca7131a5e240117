import type { Behaviour } from '@dramaturg/compiler';

/** A guard that was asked. */
export interface AskedGuard {
  readonly guard: string;
  readonly params: unknown;
  readonly event: { readonly type: string };
  /** The fields of the context that it has looked at. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly result: boolean;
}

export type HearGuard = (asked: AskedGuard) => void;

/**
 * The code of a format, telling of each guard that is asked. Link a chart with it and `fuse: false`, so that each state is a
 * step of its own:
 *
 *     const machine = link(chart, watchGuards(format.behaviour, inspector.seeGuard), { fuse: false });
 */
export function watchGuards(behaviour: Behaviour, hear: HearGuard): Behaviour {
  const guards = Object.entries(behaviour.guards).map(([name, guard]) => [
    name,
    ((scope, params) => {
      const inputs: Record<string, unknown> = {};
      const result = guard({ ...scope, context: noted(scope.context, inputs) }, params);
      hear({ guard: name, params, event: scope.event, inputs, result });
      return result;
    }) satisfies Behaviour['guards'][string],
  ]);
  return { ...behaviour, guards: Object.fromEntries(guards) };
}

/** The same object, which writes down what is read of it. */
function noted(context: object, read: Record<string, unknown>): object {
  return new Proxy(context, {
    get: (target, name, receiver) => {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof name === 'string') read[name] = value;
      return value;
    },
  });
}
