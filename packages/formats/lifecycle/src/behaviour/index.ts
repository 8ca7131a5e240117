import type { Behaviour } from '@dramaturg/compiler/machine';
import type { ActionWord, BehaviourName } from '../vocabulary.ts';
import { endingActions } from './endings.ts';
import { guards } from './guards.ts';
import { messageActions } from './messages.ts';
import { reasons } from './reasons.ts';
import { refusalActions } from './refusal.ts';
import { agent, standing } from './standing.ts';
import { start } from './start.ts';
import { result, stateActions } from './state.ts';
import { keepTimer, recoverTimer, timer, timerFailed } from './timer.ts';
import { turnActions } from './turn.ts';

const tableActions = { ...messageActions, ...turnActions, ...endingActions, recoverTimer };

/** The code for the names in a lifecycle's chart. Words of the table are in camelCase here. */
export const behaviour = {
  contexts: { start },
  guards,
  actions: {
    ...(tableActions satisfies Record<BehaviourName<ActionWord>, unknown>),
    ...stateActions,
    ...refusalActions,
    keepTimer,
    timerFailed,
  },
  inputs: { timer },
  outputs: { result },
  agent,
  standing,
  reasons,
} satisfies Behaviour;
