import type { ChartTransition, JsonObject, Reference } from '@dramaturg/compiler';
import type { GuardUse, Lifecycle, Policies, Row, Target, Use } from '../definition.ts';
import { historyNode, stateNode } from '../names.ts';

/**
 * A row as a transition.
 *
 * @param from the state whose node it stands in; left out for the root
 */
export function transitionOf(row: Row, { policies }: Lifecycle, from?: string): ChartTransition {
  const { guard, to, actions, raise, at, id } = row;
  const references = [
    ...actionsOf(actions, policies),
    ...(raise ? [{ type: 'raise', params: { event: raise.event } }] : []),
  ];
  const isToItself = to?.kind === 'state' && to.name === from;
  return {
    ...(to ? { target: `#${targetId(to)}` } : {}),
    ...(guard ? { guard: guardOf(guard, policies) } : {}),
    ...(references.length > 0 ? { actions: references } : {}),
    ...(isToItself ? { reenter: true } : {}),
    ...describedBy(row),
    meta: { origin: at, ...(id ? { row: id } : {}) },
  };
}

/** A drawing of the table tells rows apart by the event that they wait for. */
function describedBy({ description, event, guard, to }: Row): Pick<ChartTransition, 'description'> {
  if (description) return { description };
  if (!to || event === undefined) return {};
  return { description: guard?.kind === 'word' ? `${event} [${guard.word}]` : event };
}

function targetId(to: Target): string {
  return to.kind === 'previous' ? historyNode : stateNode(to.name);
}

function guardOf(guard: GuardUse, { heartbeat }: Policies): Reference {
  if (guard.kind === 'event') return { type: 'eventHas', params: { fields: guard.fields } };
  return guard.word === 'failures_used_up'
    ? { type: guard.word, params: { most: heartbeat.max_failures } }
    : { type: guard.word };
}

/** Actions of the table, each with the policy that it depends on. */
export function actionsOf(uses: readonly Use[], policies: Policies): Reference[] {
  const isForLife = policies.heartbeat.budget === 'lifetime';
  return uses
    .filter(({ word }) => !(isForLife && word === 'reset_follow_ups'))
    .map((use) => {
      const params = paramsOf(use, policies);
      return params ? { type: use.word, params } : { type: use.word };
    });
}

function paramsOf({ word, argument }: Use, policies: Policies): JsonObject | undefined {
  switch (word) {
    case 'call_agent':
      return policies.pick_up === 'at_once' ? { at_once: true } : undefined;
    case 'recover_timer':
      return { restart: policies.heartbeat.restart_timer };
    case 'start_turn':
      return argument === undefined ? undefined : { kind: argument };
    case 'emit':
      return { event: argument ?? '' };
    default:
      return argument === undefined ? undefined : { reason: argument };
  }
}
