/* oxlint-disable typescript/no-explicit-any -- Each format has a context and events of its own. */
import { type Action, type Guard, references } from '@dramaturg/compiler/format';
import type { Behaviour } from '@dramaturg/compiler/machine';

/** The names that the nodes and transitions of this package refer to. The behaviour of every conversation format has them. */
export type ConversationBehaviour = Behaviour & Named;

type Named = {
  readonly contexts: {};
  readonly guards: Readonly<
    Record<
      'isMessage' | 'isSentAgain' | 'hasAsked' | 'hasInbox' | 'isOnlyToHear' | 'isInboxOnlyToHear',
      PlainGuard
    >
  >;
  readonly actions: Readonly<
    Record<
      | 'takeMessage'
      | 'takeFromInbox'
      | 'putInInbox'
      | 'refuseMessage'
      | 'hearOnly'
      | 'hearInbox'
      | 'resumeTurn'
      | 'announceEnd',
      PlainAction
    >
  > & { readonly failTurn: Action<any, any, { port: string }> };
  readonly inputs: {};
  readonly outputs: {};
};

type PlainGuard = Guard<any, any, unknown>;
type PlainAction = Action<any, any, unknown>;

export const { guard, action } = references<Named>();
