import {
  type ChartOperand,
  type ChartTransition,
  operandsMeta,
  type Reference,
} from '@dramaturg/compiler/chart';
import type {
  GuardUse,
  Lifecycle,
  Policies,
  QuietWindow,
  Row,
  Target,
  Use,
} from '../definition.ts';
import { historyNode, stateNode } from '../names.ts';
import { type ActionWord, behaviourName, type GuardWord, type TurnKind } from '../vocabulary.ts';
import { action, guard } from './references.ts';

/**
 * A row as a transition.
 *
 * @param from the state whose node has the transition; left out for the root
 */
export function transitionOf(row: Row, { policies }: Lifecycle, from?: string): ChartTransition {
  const { guard: use, to, actions, raise, at, id } = row;
  const references = [
    ...actionsOf(actions, policies),
    ...(raise ? [action('raise', { event: raise.event })] : []),
  ];
  const isToItself = to?.kind === 'state' && to.name === from;
  return {
    ...(to ? { target: `#${targetId(to)}` } : {}),
    ...(use ? { guard: guardOf(use, policies) } : {}),
    ...(references.length > 0 ? { actions: references } : {}),
    ...(isToItself ? { reenter: true } : {}),
    ...describedBy(row),
    meta: { origin: at, ...(id ? { row: id } : {}), ...operandsMeta(operandsIn(row)) },
  };
}

/** The fields of an event that a row compares. */
function operandsIn({ guard: use, at }: Row): readonly ChartOperand[] {
  if (use?.kind !== 'event') return [];
  return Object.entries(use.fields).map(([field, value]) => ({
    origin: [...at, 'guard', 'event', field],
    description: `${field} = ${JSON.stringify(value)}`,
  }));
}

/** Drawings distinguish rows by the event that they wait for. */
function describedBy({
  description,
  event,
  guard: use,
  to,
}: Row): Pick<ChartTransition, 'description'> {
  if (description) return { description };
  if (!to || event === undefined) return {};
  return { description: use?.kind === 'word' ? `${event} [${use.word}]` : event };
}

function targetId(to: Target): string {
  return to.kind === 'previous' ? historyNode : stateNode(to.name);
}

function guardOf(use: GuardUse, { heartbeat }: Policies): Reference {
  if (use.kind === 'event') return guard('eventHas', { fields: use.fields });
  // Only known words are lowered: `unknown-guard` is an error.
  const word = use.word as GuardWord;
  return word === 'failures_used_up'
    ? guard('failuresUsedUp', { most: heartbeat.max_failures })
    : guard(behaviourName(word));
}

/** Actions of the table, each with the policy that it depends on. */
export function actionsOf(uses: readonly Use[], policies: Policies): Reference[] {
  const isForLife = policies.heartbeat.budget === 'lifetime';
  return uses
    .filter(({ word }) => !(isForLife && word === 'reset_follow_ups'))
    .flatMap((use) => [
      ...(use.word === 'fail_turn' ? telling('failed', policies) : []),
      actionOf(use, policies),
    ]);
}

/** Tells the contact why there is no reply, by the policy `fallbacks`. */
export function telling(
  cause: 'waiting' | 'failed',
  { fallbacks }: Pick<Policies, 'fallbacks'>,
): Reference[] {
  if (!fallbacks) return [];
  const { [cause]: text, language } = fallbacks;
  const given = { ...(text && { text }), ...(language && { language }) };
  return [action('tellContact', { cause, ...given })];
}

function actionOf({ word: written, argument }: Use, policies: Policies): Reference {
  // Only known words with valid arguments are lowered: `unknown-action` and `bad-argument` are errors.
  const word = written as ActionWord;
  switch (word) {
    case 'call_agent':
      return policies.pick_up === 'at_once'
        ? action('callAgent', { at_once: true, ...settling(policies) })
        : action('callAgent');
    case 'record_message': {
      const { settle } = settling(policies);
      return settle ? action('recordMessage', { settle }) : action('recordMessage');
    }
    case 'recover_timer':
      return action('recoverTimer', { restart: policies.heartbeat.restart_timer });
    case 'start_turn':
      return argument === undefined
        ? action('startTurn')
        : action('startTurn', { kind: argument as TurnKind });
    case 'emit':
      return action('emit', { event: argument as string });
    case 'record_end':
    case 'record_help':
    case 'record_failure':
      return argument === undefined
        ? action(behaviourName(word))
        : action(behaviourName(word), { reason: argument as string });
    default:
      return action(behaviourName(word));
  }
}

/** The quiet window, if there is one. */
export function settling({ settle, pick_up }: Policies): { settle?: QuietWindow } {
  return settle.quiet_ms > 0 && pick_up === 'at_once' ? { settle } : {};
}
