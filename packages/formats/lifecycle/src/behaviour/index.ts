import type { Behaviour } from '@dramaturg/compiler';
import type { ActionWord } from '../vocabulary.ts';
import { agent } from './agent.ts';
import { endingActions } from './endings.ts';
import { guards } from './guards.ts';
import { messageActions } from './messages.ts';
import { result } from './outputs.ts';
import { refusalActions } from './refusal.ts';
import { start } from './start.ts';
import { stateActions } from './state.ts';
import { keepTimer, recover_timer, timer, timerFailed } from './timer.ts';
import { turnActions } from './turn.ts';

const tableActions = { ...messageActions, ...turnActions, ...endingActions, recover_timer };

/** The code behind the names in a lifecycle's chart. Words of the table are spelt as the table spells them. */
export const behaviour: Behaviour = {
  contexts: { start },
  guards,
  actions: {
    ...(tableActions satisfies Record<ActionWord, unknown>),
    ...stateActions,
    ...refusalActions,
    keepTimer,
    timerFailed,
  },
  inputs: { timer },
  outputs: { result },
  agent,
};
