import type { JsonObject } from '@dramaturg/compiler';
import { agentEnded, type AgentEnding, type PortEnding } from '@dramaturg/compiler/machine';
import type { LoadedDefinition } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import {
  childStart,
  endingOfRefused,
  endingOfStart,
  parentRefOf,
} from '../instance/child-start.ts';
import type { FamilyLetter } from '../instance/letter.ts';
import type { LiveInstance } from '../instance/live-instance.ts';
import type { ChildRequest, ParentRef } from '../instance/state.ts';
import type { OnError } from './error-reporter.ts';
import type { Store } from '../store/contract.ts';
import { stateOf } from '../instance/snapshot-parts.ts';

/** The options that a child is started with. */
export interface ChildOrder {
  readonly id: string;
  /** Absent for an instance that follows an ended one. */
  readonly parent?: ParentRef;
  readonly contact?: string;
  readonly address: string | null;
  readonly channel: string | null;
  readonly input: JsonObject;
  readonly lifecycleInput: JsonObject;
}

export interface FamilyOptions {
  readonly store: Store;
  readonly latestDefinition: (name: string) => Promise<LoadedDefinition>;
  readonly start: (definition: LoadedDefinition, order: ChildOrder) => Promise<unknown>;
  readonly onError: OnError;
  readonly cancel: (id: string, reason: string) => Promise<unknown>;
  /** Settles a call of an instance. A call that is not open any more is left alone. */
  readonly settleCall: (id: string, call: string, ending: PortEnding) => Promise<unknown>;
}

/** Carries letters between parents and children. Carrying a letter twice has no further effect. */
export class InstanceFamily {
  readonly #options: FamilyOptions;

  constructor(options: FamilyOptions) {
    this.#options = options;
  }

  /** Fulfils when the receiving instance has stored the effect of the letter. */
  async carryLetter(sender: LiveInstance, letter: FamilyLetter): Promise<void> {
    if (letter.kind === 'child') return this.#ensureChild(sender, letter);
    if (letter.kind === 'abandon') return this.#abandon(letter.id);
    if (letter.kind === 'start') return this.#startNext(sender, letter);
    await this.#reportEnding(letter.parent, letter.call, sender.state.ending!);
  }

  /** Starts the child of a call, unless it exists. A child that has ended answers the call. */
  async #ensureChild(
    parent: LiveInstance,
    { id, call, definition }: FamilyLetter & { kind: 'child' },
  ): Promise<void> {
    const known = await this.#options.store.read(id);
    if (known) {
      const { ending } = stateOf(known);
      if (ending) await this.#reportEnding(parent.id, call, ending);
      return;
    }
    const request = parent.childRequest(call);
    // The parent has closed the call.
    if (request === undefined) return;
    try {
      await this.#start(parent, { id, call, definition, request });
    } catch (error) {
      if (error instanceof HostError && error.code === 'host/exists') return;
      const ending = endingOfStart(error);
      if (!ending) throw error;
      await this.#reportEnding(parent.id, call, ending);
    }
  }

  /** Starts the instance that follows an ended one, unless it exists. */
  async #startNext(
    { contact, state, passedOn: lifecycleInput }: LiveInstance,
    { id, definition: name, input }: FamilyLetter & { kind: 'start' },
  ): Promise<void> {
    if (await this.#options.store.read(id)) return;
    const { address, channel, input: inputOfParent } = state;
    try {
      const definition = await this.#options.latestDefinition(name);
      const given = { input, inputOfParent, address, contact, lifecycleInput };
      const own = childStart(definition, given);
      await this.#options.start(definition, { id, channel, ...own });
    } catch (error) {
      // A retry would fail too.
      if (endingOfStart(error) === undefined) throw error;
      this.#options.onError(error, `starting ${JSON.stringify(id)}`);
    }
  }

  async #start(
    parent: LiveInstance,
    child: { id: string; call: string; definition: string; request: ChildRequest },
  ): Promise<void> {
    const { id, call, definition: name, request } = child;
    const ref = parentRefOf(parent, call, request);
    const refused = endingOfRefused(name, ref);
    if (refused) return this.#reportEnding(parent.id, call, refused);
    const definition = await this.#options.latestDefinition(name);
    const { address, channel, input: inputOfParent } = parent.state;
    const { input } = request;
    const { contact, passedOn: lifecycleInput } = parent;
    await this.#options.start(definition, {
      id,
      parent: ref,
      channel,
      ...childStart(definition, { input, inputOfParent, address, contact, lifecycleInput }),
    });
  }

  /** Cancels a child when its parent does not wait any more. */
  async #abandon(id: string): Promise<void> {
    const known = await this.#options.store.read(id);
    if (!known || known.ended) return;
    await this.#options.cancel(id, 'its parent does not wait for it any more');
  }

  async #reportEnding(parent: string, call: string, ending: AgentEnding): Promise<void> {
    await this.#options.settleCall(parent, call, agentEnded(ending));
  }
}
