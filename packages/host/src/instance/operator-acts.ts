import type { EventObject, PortName } from '@dramaturg/compiler';
import type { CallUsage } from '../limits/index.ts';
import type { MachineActor } from '../xstate/machine-actor.ts';
import {
  type Claim,
  claimDefaultMs,
  claimedBy,
  notClaimed,
  ownerAt,
  renewedClaim,
} from './claim.ts';
import { decisionMade } from './event.ts';
import { type Note, notesMax } from './note.ts';
import { optionalText } from './read.ts';
import { suspensionsOf } from './suspensions.ts';
import type { LoadedDefinitions } from './surroundings.ts';
import type { WorkingState } from './working-state.ts';

/** Acts that only the commands of a host send, which check their fields. */
export const deskActs = [
  'operator.take_over',
  'operator.hand_back',
  'operator.renew_claim',
  'operator.add_note',
  'operator.count_draft',
] as const;

/** Acts of operators that are events of the lifecycle. */
const lifecycleActs = ['pause', 'resume', 'cancel', 'intervene'] as const;

export function isDeskAct(type: string): type is (typeof deskActs)[number] {
  return (deskActs as readonly string[]).includes(type);
}

export function isLifecycleAct(type: string): type is (typeof lifecycleActs)[number] {
  return (lifecycleActs as readonly string[]).includes(type);
}

/** Whether an event is an act of a person on the agent's side. */
export function isAct({ type, internal }: EventObject): boolean {
  if (internal === true) return false;
  return type === decisionMade || isDeskAct(type) || isLifecycleAct(type);
}

/** Whether a list of acts contains the event. */
export function isListedAct(event: EventObject): boolean {
  return event.type !== 'operator.renew_claim' && isAct(event);
}

/** A call that was made for a draft. */
export type DraftedCall = {
  readonly port: PortName;
  readonly key: string;
  readonly use?: CallUsage;
};

export interface OperatorActsOptions {
  readonly working: WorkingState;
  readonly lifecycle: MachineActor;
  readonly definitions: LoadedDefinitions;
}

/**
 * Carries out the acts of operators, and owns the claim of the instance. A claim exists only while the instance is paused:
 * resuming and cancelling release it.
 */
export class OperatorActs {
  readonly #options: OperatorActsOptions;

  constructor(options: OperatorActsOptions) {
    this.#options = options;
  }

  /** Decides on an act. A refused act changes nothing. */
  act(event: EventObject): void {
    const { working, lifecycle } = this.#options;
    const { step, state } = working;
    const by = optionalText(event['by']);
    const owner = ownerAt(state.claim, step.at);
    // Free despite a claim: notes, and the host, which ends an instance for an erasure or a parent.
    step.author = by === '' ? undefined : by;
    const isFree =
      event['internal'] === true ||
      ['operator.add_note', 'operator.count_draft'].includes(event.type);
    if (owner && owner.by !== by && event['force'] !== true && !isFree) {
      working.refuse(claimedBy(owner));
      return;
    }
    switch (event.type) {
      case 'operator.take_over':
        this.#takeOver(
          optionalText(event['owner']) || by,
          Number(event['for_ms'] ?? claimDefaultMs),
        );
        return;
      case 'operator.hand_back':
        this.#handBack();
        return;
      case 'operator.renew_claim':
        if (state.claim?.by === by) this.#claim('claim.renewed', state.claim);
        else
          working.refuse({ ...notClaimed, because: 'You have not taken this conversation over.' });
        return;
      case 'operator.add_note':
        this.#addNote(by, optionalText(event['text']));
        break;
      case 'operator.count_draft':
        this.#countDraft(by, event['calls'] as readonly DraftedCall[]);
        break;
      case 'resume':
      case 'cancel':
        this.#dispatch(event);
        return;
      default:
        step.upTo = event.type === 'intervene' ? (event['line'] as number | undefined) : undefined;
        lifecycle.dispatch(event);
    }
    if (working.state.claim?.by === by) this.#claim('claim.renewed', working.state.claim);
  }

  #takeOver(by: string, forMs: number): void {
    const { working, lifecycle, definitions } = this.#options;
    if (suspensionsOf(definitions.lifecycle.chart).get(working.status) !== 'paused') {
      lifecycle.dispatch({ type: 'pause' });
      const because = this.#refusalOf('pause');
      if (because !== undefined) {
        working.refuse({ code: 'event/not-accepted', because });
        return;
      }
    }
    this.#claim('claim.taken', { by, forMs });
  }

  /** Resumes also a conversation that asked for a person before it was paused, because a person has had it. */
  #handBack(): void {
    const { working, lifecycle } = this.#options;
    if (!working.state.claim) {
      working.refuse(notClaimed);
      return;
    }
    const because = this.#dispatch({ type: 'resume' });
    if (because !== undefined) {
      working.refuse({ code: 'event/not-accepted', because });
      return;
    }
    const isSuspended = working.emitted.some(
      ({ event }) => event.type === 'state.entered' && event['kind'] === 'suspended',
    );
    if (isSuspended) lifecycle.dispatch({ type: 'resume' });
  }

  #countDraft(by: string, calls: readonly DraftedCall[]): void {
    const { working } = this.#options;
    for (const { port, key, use } of calls) {
      const recorded = use && working.spending.countApart(port, key, use);
      if (recorded) working.emit('host', recorded);
    }
    working.emit('host', { type: 'draft.made', by });
  }

  #addNote(by: string, text: string): void {
    const { working } = this.#options;
    const { state, step } = working;
    const note: Note = { by, at: step.at, text };
    working.patch({ notes: [...(state.notes ?? []), note].slice(-notesMax) });
    working.emit('host', { type: 'note.added', by, text });
  }

  /**
   * Ends the pause, and with it the claim.
   *
   * @returns why the lifecycle has refused the event; then the claim stays
   */
  #dispatch(event: EventObject): string | undefined {
    const { working, lifecycle } = this.#options;
    lifecycle.dispatch(event);
    const because = this.#refusalOf(event.type);
    const { claim } = working.state;
    if (because !== undefined || !claim) return because;
    working.patch({ claim: null });
    working.emit('host', { type: 'claim.released', by: claim.by });
    return undefined;
  }

  #claim(type: 'claim.taken' | 'claim.renewed', of: Pick<Claim, 'by' | 'forMs'>): void {
    const { working } = this.#options;
    const claim = renewedClaim(of, working.step.at);
    working.patch({ claim });
    working.emit('host', { type, by: claim.by, until: claim.until });
  }

  #refusalOf(type: string): string | undefined {
    const found = this.#options.working.emitted.find(
      ({ event }) => event.type === 'event.refused' && event['event'] === type,
    );
    return found && optionalText(found.event['because']);
  }
}
