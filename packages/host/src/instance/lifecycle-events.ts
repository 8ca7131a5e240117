import type { EventObject } from '@dramaturg/compiler';
import type { lifecycle } from '@dramaturg/compiler/format';
import type { DurableMachine, MachineActor } from '../xstate/machine-actor.ts';
import type { InstanceMessages } from './instance-messages.ts';
import type { FlowRun } from './flow-run.ts';
import { refusalOf } from './refusal.ts';
import type { RepeatedCalls } from './repeated-calls.ts';
import type { Words } from './words.ts';
import type { WorkingState } from './working-state.ts';

/** The acts with which a person returns a conversation. */
const resumes: ReadonlySet<string> = new Set(['resume', 'operator.hand_back']);

export interface LifecycleEventsOptions {
  readonly working: WorkingState;
  readonly lifecycle: Pick<MachineActor, 'context'>;
  readonly flowRun: FlowRun | undefined;
  readonly messages: InstanceMessages;
  readonly repeated: RepeatedCalls;
  readonly flow: DurableMachine | undefined;
  readonly words: Pick<Words, 'answerAfterEnd'>;
}

/** Carries out the decisions of an instance's lifecycle: its state, its turns, its messages, its end. */
export class LifecycleEvents {
  readonly #options: LifecycleEventsOptions;

  constructor(options: LifecycleEventsOptions) {
    this.#options = options;
  }

  handle(emitted: EventObject): void {
    const event = emitted as EventObject & lifecycle.LifecycleEmitted;
    const { working, flowRun, messages, repeated, flow } = this.#options;
    switch (event.type) {
      case 'state.entered':
        this.#enter(event);
        break;
      case 'message.recorded':
        messages.record(event, flowRun);
        if (event['role'] === 'contact') repeated.hasten();
        break;
      case 'message.send.requested':
        messages.request(event);
        break;
      case 'turn.started':
        flowRun?.startTurn(event, working.transcript.length, resumes.has(working.step.eventType));
        break;
      case 'turn.aborted':
        flowRun?.abortTurn();
        break;
      case 'inbox.cleared':
        flowRun?.clearInbox();
        break;
      case 'event.refused':
        if (event['event'] === working.step.eventType)
          working.step.refusal = refusalOf(event, working.status, flow);
        break;
      case 'instance.ended':
        this.#end();
        break;
    }
  }

  #enter(event: EventObject): void {
    const { working, lifecycle } = this.#options;
    working.status = String(event['state']);
    working.patch({ holds: event['holds_contact'] === true });
    working.addSystemLine(changeText(event, lifecycle.context));
  }

  #end(): void {
    const { working, flowRun, messages, words } = this.#options;
    const isUnread = (flowRun?.state.inbox.count ?? 0) > 0;
    working.ended = true;
    flowRun?.endInstance();
    if (working.step.eventType === 'cancel') messages.withdrawAll();
    else if (isUnread) words.answerAfterEnd();
  }
}

/** Words a change of state: from, to, and the reason if the lifecycle has one. */
function changeText(
  { state, from, kind }: EventObject,
  context: Readonly<Record<string, unknown>>,
): string {
  const way = typeof from === 'string' ? `${from} → ${String(state)}` : String(state);
  const reasons = {
    terminal: context['end_reason'] ?? context['failure_reason'],
    suspended: context['intervention_reason'],
  };
  const reason = reasons[kind as keyof typeof reasons];
  return typeof reason === 'string' ? `${way}: ${reason}` : way;
}
