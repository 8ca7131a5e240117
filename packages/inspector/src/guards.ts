import type { Behaviour } from '@dramaturg/compiler';

/** Hears of a guard that was asked. */
export type HearGuard = (
  guard: string,
  params: unknown,
  event: { readonly type: string },
  result: boolean,
) => void;

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
      const result = guard(scope, params);
      hear(name, params, scope.event, result);
      return result;
    }) satisfies Behaviour['guards'][string],
  ]);
  return { ...behaviour, guards: Object.fromEntries(guards) };
}
