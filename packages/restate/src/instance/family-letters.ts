import type { Json, JsonObject, PortError } from '@dramaturg/compiler';
import { agentEnded, type AgentEnding } from '@dramaturg/compiler/machine';
import {
  type Birth,
  type FamilyLetter,
  type LiveInstance,
  parentRefOf,
  toRecordedError,
} from '@dramaturg/host/engine';
import type { ObjectContext } from '@restatedev/restate-sdk';
import type { ServiceNames } from '../names.ts';
import { type CallOutcome, send } from './messages.ts';

/** For `adopt`: the order of an instance to a child that runs as its agent. Times are milliseconds since 1970 UTC. */
export interface ChildOrder {
  readonly at: number;
  /** The name of the definition. */
  readonly definition: string;
  /** Absent for an instance that follows an ended one. */
  readonly parent?: NonNullable<Birth['parent']>;
  readonly input: Json;
  /** The input of the parent. */
  readonly inputOfParent: JsonObject;
  /** The contact in its canonical form. */
  readonly contact: string | undefined;
  readonly address: string | null;
  readonly channel: string | null;
  readonly lifecycleInput: JsonObject;
}

/** For `abandon`: the parent no longer waits for the child. */
export interface AbandonOrder {
  readonly at: number;
}

/** Submits the letters to parent and children to Restate, which delivers those to one instance in order. */
export function sendFamilyLetters(
  context: ObjectContext,
  names: ServiceNames,
  instance: LiveInstance,
  letters: readonly FamilyLetter[],
  at: number,
): void {
  const { state } = instance;
  const { instance: service } = names;
  for (const letter of letters) {
    if (letter.kind === 'ended') {
      const { parent, call } = letter;
      answerParent(context, names, { instance: parent, call }, state.ending!, at);
    } else if (letter.kind === 'abandon') {
      const order: AbandonOrder = { at };
      send(context, { service, key: letter.id, handler: 'abandon' }, order);
    } else {
      const request = letter.kind === 'start' ? undefined : instance.childRequest(letter.call);
      if (letter.kind === 'child' && !request) continue;
      const order: ChildOrder = {
        at,
        definition: letter.definition,
        ...(letter.kind === 'start'
          ? { input: letter.input }
          : {
              parent: parentRefOf(instance, letter.call, request!),
              input: request!.input,
            }),
        inputOfParent: state.input,
        contact: instance.contact,
        address: state.address,
        channel: state.channel,
        lifecycleInput: instance.passedOn,
      };
      send(context, { service, key: letter.id, handler: 'adopt' }, order);
    }
  }
}

/** Answers the call of a parent with the result of its child. */
export function answerParent(
  context: ObjectContext,
  { instance: service }: ServiceNames,
  { instance, call }: { readonly instance: string; readonly call: string },
  ending: AgentEnding,
  at: number,
): void {
  const ended = agentEnded(ending);
  const outcome: CallOutcome = {
    at,
    letter: call,
    port: 'runAgent',
    ending:
      'error' in ended
        ? { error: toRecordedError(ended.error as PortError) }
        : { output: ended.output as Json },
  };
  send(context, { service, key: instance, handler: 'answer' }, outcome);
}
