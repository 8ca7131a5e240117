import {
  agentEnded,
  type AgentEnding,
  InputError,
  type Json,
  type JsonObject,
} from '@dramaturg/compiler';
import type { LoadedDefinition } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import { deepestNesting, type KinLetter } from '../instance/children.ts';
import type { Asked } from '../instance/live-instance.ts';
import type { InstanceState, ParentRef } from '../instance/state.ts';
import type { Store } from '../store/contract.ts';
import type { Runner } from './runner.ts';
import type { ActiveInstances } from './active-instances.ts';

/** What a child is started with. */
interface ChildOrder {
  readonly id: string;
  readonly parent: ParentRef;
  readonly contact: string | null;
  readonly channel: string | null;
  readonly input: JsonObject;
}

export interface KinOptions {
  readonly store: Store;
  readonly activeInstances: () => ActiveInstances;
  readonly definitionOf: (definition: string) => Promise<LoadedDefinition>;
  readonly start: (definition: LoadedDefinition, order: ChildOrder) => Promise<unknown>;
}

/** Carries letters between instances and those above and below them. All of it may be done twice. */
export class InstanceFamily {
  readonly #options: KinOptions;

  constructor(options: KinOptions) {
    this.#options = options;
  }

  /** @returns once whoever the letter is for has stored what comes of it */
  async carry({ instance }: Runner, letter: KinLetter): Promise<void> {
    if (letter.kind === 'child') return this.#lookAfter(instance, letter);
    if (letter.kind === 'abandon') return this.#abandon(letter.id);
    await this.#tell(letter.parent, letter.call, instance.state.ending!);
  }

  /** There is a child for the call; one that has ended answers it. */
  async #lookAfter(
    parent: Runner['instance'],
    { id, call, definition }: KinLetter & { kind: 'child' },
  ): Promise<void> {
    const known = await this.#options.store.read(id);
    if (known) {
      const { ending } = known.snapshot as unknown as InstanceState;
      if (ending) await this.#tell(parent.id, call, ending);
      return;
    }
    const asked = parent.askedOf(call);
    // The parent has gone on without it.
    if (asked === undefined) return;
    try {
      await this.#start(parent, { id, call, definition, asked });
    } catch (error) {
      if (!isOfCaller(error)) throw error;
      if (error instanceof HostError && error.code === 'host/exists') return;
      await this.#tell(parent.id, call, {
        error: error instanceof InputError ? 'States.ValidationError' : 'States.TaskFailed',
        cause: error.message,
      });
    }
  }

  async #start(
    { id: parent, state }: Runner['instance'],
    child: { id: string; call: string; definition: string; asked: Asked },
  ): Promise<void> {
    const { id, call, definition: name, asked } = child;
    const { input, left } = asked;
    const ancestors = [parent, ...(state.parent?.ancestors ?? [])];
    if (ancestors.length > deepestNesting) {
      const cause = `Definitions run one another ${deepestNesting} deep. Does "${name}" run itself?`;
      await this.#tell(parent, call, { error: 'States.NestingLimitExceeded', cause });
      return;
    }
    const definition = await this.#options.definitionOf(name);
    const { address: contact, channel } = state;
    const own = definition.agent?.input(input, state.input);
    await this.#options.start(definition, {
      id,
      parent: { instance: parent, call, ancestors, ...(left && { remainingBudget: left }) },
      // A lifecycle that is all there is has nothing to say to a contact, and must not keep others from it.
      contact: definition.lifecycle ? contact : null,
      channel,
      input: own ?? (isObject(input) ? input : { input }),
    });
  }

  /** Nobody waits for it any more. */
  async #abandon(id: string): Promise<void> {
    const known = await this.#options.store.read(id);
    if (!known || known.ended) return;
    const reason = 'whoever called it does not wait for it any more';
    await this.#options
      .activeInstances()
      .use(id, (runner) => runner.receive({ type: 'cancel', reason }));
  }

  /** The call is answered. One that is answered already, or was given up, changes nothing. */
  async #tell(parent: string, call: string, ending: AgentEnding): Promise<void> {
    await this.#options
      .activeInstances()
      .use(parent, (runner) =>
        runner.step((instance) => instance.settle(call, agentEnded(ending))),
      );
  }
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is wrong is what was asked, so that asking again comes to the same. */
function isOfCaller(error: unknown): error is Error {
  if (error instanceof InputError) return true;
  const codes = ['host/bad-request', 'host/exists', 'host/unknown-definition'];
  return error instanceof HostError && codes.includes(error.code);
}
