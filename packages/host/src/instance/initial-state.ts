import type { DefinitionVersion } from '../store/contract.ts';
import { emptyInbox } from './inbox.ts';
import type { Birth, InstanceState } from './state.ts';

/** The state of an instance before its first step. */
export function initialState(birth: Birth, lifecycle: DefinitionVersion): InstanceState {
  const { copy, parent, input, address, channel } = birth;
  return {
    ...(parent ? { parent } : {}),
    ...(copy ? { flow: copy.flow, copyOf: copy.of } : {}),
    lifecycle: { definition: lifecycle, snapshot: null },
    input,
    address,
    channel,
    holds: false,
    turn: null,
    inbox: emptyInbox,
    endings: [],
  };
}
