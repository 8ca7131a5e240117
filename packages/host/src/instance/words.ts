import type { EventObject } from '@dramaturg/compiler';
import type { MachineActor } from '../xstate/machine-actor.ts';
import { carrierStarts, type Word, wordIn, type WordMeaning, wordsOf } from './spoken-words.ts';
import { policiesOf } from './child-start.ts';
import { ownerAt } from './claim.ts';
import type { InstanceMessages } from './instance-messages.ts';
import type { FlowRun } from './flow-run.ts';
import { optionalText } from './read.ts';
import { seenByLifecycle, type WorkingState } from './working-state.ts';
import { suspensionsOf } from './suspensions.ts';
import type { LoadedDefinitions } from './surroundings.ts';

/** The shortest time between two answers that the conversation has ended. */
const farewellPauseMs = 600_000;

/** The longest id of a message. */
const longestId = 200;

export interface WordsOptions {
  readonly working: WorkingState;
  readonly lifecycle: MachineActor;
  readonly flowRun: FlowRun | undefined;
  readonly messages: InstanceMessages;
  readonly definitions: LoadedDefinitions;
}

/**
 * Acts on words before the flow, by the policy `words` of the lifecycle. The flow never receives them.
 * Spec: docs/formats/lifecycle.md#words
 */
export class Words {
  readonly #options: WordsOptions;

  constructor(options: WordsOptions) {
    this.#options = options;
  }

  /** The word that a message is; undefined for any other event. `word` has the words of carriers, which the host recognises. */
  in({ type, id, text, word: named }: EventObject): Word | undefined {
    const { working, flowRun } = this.#options;
    const word = type === 'message.received' ? wordIn(text) : '';
    // Not a word, or an id that the lifecycle refuses.
    if (word === '' || (id !== undefined && !(typeof id === 'string' && id.length <= longestId)))
      return undefined;
    if (named === 'stop' || named === 'start') return { text: word, means: named };
    const isStopped = Boolean(working.state.stopped);
    if (isStopped && carrierStarts.has(word)) return { text: word, means: 'start' };
    const found = wordsOf(policiesOf(this.#options)['words']).find((each) => each.text === word);
    if (found?.means === 'start' && !isStopped) return undefined;
    const needsFlow = found?.means === 'person' || found?.means === 'restart';
    return needsFlow && !flowRun ? undefined : found;
  }

  /** Acts on a word. Within a step. */
  hear({ means, says = '' }: Word, event: EventObject): void {
    const { working, lifecycle, messages } = this.#options;
    working.step.heard = means;
    const suspension = this.#suspension;
    // These words take a turn, and the lifecycle waits for its end. A conversation that already asks for a person does not ask again.
    if (means === 'restart' || (means === 'person' && suspension !== 'needsPerson')) {
      lifecycle.dispatch(event);
      return;
    }
    const { length } = working.transcript;
    this.#record(event, { word: means });
    const { stopped, claim } = working.state;
    if (means === 'stop' && !stopped) {
      const resumes = suspension !== 'paused';
      working.patch({ stopped: { resumes } });
      messages.withdrawAll('the contact has sent STOP.');
      if (resumes) lifecycle.dispatch({ type: 'pause', raised: true });
    } else if (means === 'start' && stopped) {
      working.patch({ stopped: null });
      if (stopped.resumes && suspension === 'paused' && !ownerAt(claim, working.step.at))
        lifecycle.dispatch({ type: 'resume', raised: true });
    } else if (means === 'help' && !stopped)
      messages.request({
        type: 'message.sent',
        id: `${working.id}/help-${length}`,
        text: says,
        aside: true,
      });
  }

  hearAfterEnd(event: EventObject): void {
    this.#record(event, {});
    this.answerAfterEnd();
  }

  /** Answers a message that the flow will not read by the policy `after_end`, rarely enough to avoid a loop with another machine. */
  answerAfterEnd(): void {
    const { working, messages, definitions } = this.#options;
    const { step, state, transcript } = working;
    const { text } = Object(definitions.lifecycle.chart.meta?.['after_end']) as { text?: unknown };
    if (typeof text !== 'string' || step.at - (state.farewellAt ?? 0) < farewellPauseMs) return;
    working.patch({ farewellAt: step.at });
    messages.request({
      type: 'message.sent',
      id: `${working.id}/after-end-${transcript.length}`,
      text,
    });
  }

  #record(event: EventObject, fields: { readonly word?: WordMeaning }): void {
    const { working } = this.#options;
    const id = optionalText(event['id']) || `${working.id}/heard-${working.transcript.length}`;
    const text = optionalText(event['text']);
    working.emit('host', { type: 'message.recorded', role: 'contact', id, text, ...fields });
    working.addMessage({ id, text, ...fields, ...working.step.messageFields });
    // The lifecycle does not know the id, so the transcript is searched for it.
    working.patch({ received: Math.max(working.receivedCount, seenByLifecycle + 1) });
  }

  get #suspension() {
    const { working, definitions } = this.#options;
    return suspensionsOf(definitions.lifecycle.chart).get(working.status);
  }
}
