import {
  agentEnded,
  type AgentEnding,
  nestingExceeded,
  nestingMax,
} from '@dramaturg/compiler/machine';
import {
  birthOf,
  childStart,
  endingOfStart,
  type FamilyLetter,
  type LiveInstance,
  type LoadedDefinitions,
  parentRefOf,
  priorInstanceTerminal,
  queueStatesOf,
  type StepResult,
} from '@dramaturg/host/engine';
import { type FamilyContext, type Member, Members } from './members.ts';
import { type Beginning, explored, type Moment, type WaitingCall } from './moment.ts';

/** The most children that are started: a list of items may be long. */
const childrenMax = 60;

/** A step of one instance, and its effects on parent and children, as a host carries them out. */
export class FamilyStep {
  readonly #context: FamilyContext;
  readonly #members: Members;
  readonly #before: Pick<Moment, 'calls' | 'waits'>;
  #refused: string | undefined;
  #isCut: boolean;

  constructor(context: FamilyContext, before?: Moment) {
    this.#context = context;
    this.#members = new Members(context, before);
    this.#before = before ?? { calls: [], waits: [] };
    this.#isCut = before?.isCut === true;
  }

  /** @throws InputError when the input does not fit */
  async begin({ input, lifecycleInput, contact }: Beginning): Promise<void> {
    const { definitions } = this.#context;
    const order = {
      id: explored,
      channel: 'test',
      input,
      ...(lifecycleInput ? { lifecycleInput } : {}),
      ...(contact === undefined ? {} : { contact }),
    };
    const birth = { ...birthOf(order, startable(definitions)), queued: false };
    await this.#members.begin(birth, definitions);
    await this.#follow();
  }

  async decide(id: string, decide: (instance: LiveInstance) => Promise<StepResult>): Promise<void> {
    const answer = await this.#members.decide(id, decide);
    if (!answer.accepted) this.#refused = answer.because ?? '';
    await this.#follow();
  }

  /** The instance and its children after the step. */
  get moment(): Omit<Moment, 'at' | 'drawn'> {
    const members = this.#members.all;
    const [main, ...children] = members;
    const { status, ended, state, transcript } = main!;
    return {
      status,
      ended,
      state,
      transcript,
      children: children.map(({ calls: _calls, waits: _waits, definition, ...child }) => ({
        ...child,
        definition: definition!,
      })),
      calls: inOrder(
        members.flatMap(({ calls }) => calls),
        this.#before.calls,
      ),
      waits: inOrder(
        members.flatMap(({ waits }) => waits),
        this.#before.waits,
      ),
      events: this.#members.events,
      ...(this.#isCut ? { isCut: true } : {}),
      ...(this.#refused === undefined ? {} : { refused: this.#refused }),
    };
  }

  /** Carries letters and gives waiting children their turn, until nothing more follows. */
  async #follow(): Promise<void> {
    for (;;) {
      const next = this.#members.letters.shift();
      if (next) await this.#carry(next.sender, next.letter);
      else if (!(await this.#callUpNext())) return;
    }
  }

  async #carry(sender: string, letter: FamilyLetter): Promise<void> {
    if (letter.kind === 'child') return this.#ensureChild(sender, letter);
    if (letter.kind === 'ended')
      return this.#settle(letter.parent, letter.call, this.#members.get(sender)!.state.ending!);
    if (this.#members.get(letter.id)?.ended !== false) return;
    const cancel = { type: 'cancel', reason: 'its parent does not wait for it any more' };
    await this.#members.decide(letter.id, (child) => child.decideEvent(cancel));
  }

  async #settle(id: string, call: string, ending: AgentEnding): Promise<void> {
    await this.#members.decide(id, (parent) => parent.decideCall(call, agentEnded(ending)));
  }

  /** Starts the child of a call, unless it exists. A child that has ended answers the call. */
  async #ensureChild(
    sender: string,
    { id, call, definition }: FamilyLetter & { readonly kind: 'child' },
  ): Promise<void> {
    const known = this.#members.get(id);
    if (known?.state.ending) return this.#settle(sender, call, known.state.ending);
    const parent = this.#members.restore(sender);
    const request = parent.childRequest(call);
    // The parent has closed the call.
    if (known || !request) return;
    const { state } = parent;
    const ref = parentRefOf(parent, call, request);
    if (ref.ancestors.length > nestingMax)
      return this.#settle(sender, call, nestingExceeded(definition));
    if (this.#members.all.length > childrenMax) {
      this.#isCut = true;
      return;
    }
    const definitions = this.#context.definitionsOfChild(definition);
    const child = startable(definitions);
    const { input: inputOfParent, channel, address } = state;
    const { input } = request;
    const { contact, passedOn: lifecycleInput } = parent;
    const start = childStart(child, { input, inputOfParent, contact, address, lifecycleInput });
    const birth = {
      ...birthOf({ id, channel, ...start }, child),
      queued: start.contact !== undefined && this.#isHeldBesides(ref.ancestors),
      parent: ref,
    };
    try {
      await this.#members.begin(birth, definitions, definition);
    } catch (error) {
      const ending = endingOfStart(error);
      if (!ending) throw error;
      await this.#settle(sender, call, ending);
    }
  }

  /** A parent lends the contact to its child. */
  #isHeldBesides(ids: readonly string[]): boolean {
    return this.#members.all.some(
      ({ id, ended, state }) => !ended && state.holds && !ids.includes(id),
    );
  }

  get #holder(): Member | undefined {
    return this.#members.all.findLast(({ ended, state }) => !ended && state.holds);
  }

  /** The contact is free: the first child that waits for it gets its turn. */
  async #callUpNext(): Promise<boolean> {
    if (this.#holder) return false;
    const members = this.#members.all;
    const next = members.find(({ ended, definition, status }) => {
      if (ended || definition === undefined) return false;
      const { lifecycle } = this.#context.definitionsOfChild(definition);
      return queueStatesOf(lifecycle.chart).has(status);
    });
    if (!next) return false;
    const event = { type: priorInstanceTerminal };
    await this.#members.decide(next.id, (instance) => instance.decideEvent(event));
    return this.#members.get(next.id)!.status !== next.status;
  }
}

/** A definition with its lifecycle, as it is started. */
function startable({ lifecycle, flow }: LoadedDefinitions) {
  return flow ? { ...flow, lifecycle: lifecycle.ref } : lifecycle;
}

/** Orders calls: those that were open before come first. */
function inOrder(
  calls: readonly WaitingCall[],
  before: readonly WaitingCall[],
): readonly WaitingCall[] {
  const keyOf = ({ instance, letter }: WaitingCall) => `${instance} ${letter}`;
  const places = new Map(before.map((call, index) => [keyOf(call), index]));
  const placeOf = (call: WaitingCall) => places.get(keyOf(call)) ?? before.length;
  return calls.toSorted((one, other) => placeOf(one) - placeOf(other));
}
