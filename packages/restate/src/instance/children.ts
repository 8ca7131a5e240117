import {
  type AgentEnding,
  InputError,
  type Json,
  type JsonObject,
  nestingExceeded,
  nestingMax,
} from '@dramaturg/compiler';
import { type Birth, contactKey, type DefinitionVersion, HostError } from '@dramaturg/host';
import { type LoadedDefinition, stateOf, unknownInstance } from '@dramaturg/host/engine';
import type { ObjectContext } from '@restatedev/restate-sdk';
import type { LineStart } from '../contact/messages.ts';
import type { Engine } from '../engine.ts';
import { type AbandonOrder, answerParent, type ChildOrder } from './family-letters.ts';
import type { CreateOrder, Standing } from './messages.ts';
import { send } from './sends.ts';
import { type Head, headKey } from './state-layout.ts';
import { begin, step } from './step.ts';
import { readInstance } from './stored-instance.ts';

/** A child that was abandoned before it came to be. It never will. */
const abandonedKey = 'abandoned';

/** Starts a child, unless it exists. A child that has ended answers its parent again. */
export async function adopt(
  engine: Engine,
  context: ObjectContext,
  order: ChildOrder,
): Promise<void> {
  const { names } = engine;
  const { at, parent } = order;
  const answer = (ending: AgentEnding) =>
    answerParent(
      context,
      names.instance,
      { parent: parent.instance, call: parent.call },
      ending,
      at,
    );
  if (await context.get<Head>(headKey)) {
    const { ending } = stateOf((await readInstance(context)).record);
    if (ending) answer(ending);
    return;
  }
  if (await context.get<boolean>(abandonedKey)) return;
  if (parent.ancestors.length > nestingMax) {
    answer(nestingExceeded(order.definition));
    return;
  }
  // Another process may have another version, so the choice has to be stored.
  const chosen = await context.run('choose the version', () => latestOf(engine, order.definition));
  if ('error' in chosen) {
    answer(chosen);
    return;
  }
  const definition = await engine.library.load(chosen);
  const start = startOf(context.key, order, definition);
  // An instance without a flow sends nothing to a contact, and must not occupy the contact's line.
  const { contact } = start.birth;
  if (contact === undefined) {
    const birth: Birth = { ...start.birth, queued: false };
    await create(engine, context, { ...start, birth, createdAt: at });
  } else send(context, { service: names.contact, key: contact, handler: 'start' }, start);
}

/** Starts an instance. A child that cannot be started answers the call of its parent with the reason. */
export async function create(
  engine: Engine,
  context: ObjectContext,
  order: CreateOrder,
): Promise<Standing> {
  const { parent } = order.birth;
  // Its start has waited behind other work of the contact.
  if (parent && (await context.get<boolean>(abandonedKey))) throw unknownInstance(parent.instance);
  try {
    return await begin(engine, context, order);
  } catch (error) {
    if (parent && isPermanent(error))
      answerParent(
        context,
        engine.names.instance,
        { parent: parent.instance, call: parent.call },
        failed(error),
        order.at,
      );
    throw error;
  }
}

/** Cancels a child whose parent does not wait any more. */
export async function abandon(
  engine: Engine,
  context: ObjectContext,
  { at }: AbandonOrder,
): Promise<void> {
  const head = await context.get<Head>(headKey);
  if (!head) {
    context.set(abandonedKey, true);
    return;
  }
  if (head.ended) return;
  const reason = 'its parent does not wait for it any more';
  await step(engine, context, at, async (instance) => ({
    results: [await instance.decideEvent({ type: 'cancel', reason, internal: true })],
  }));
}

async function latestOf(
  { library }: Engine,
  name: string,
): Promise<DefinitionVersion | Extract<AgentEnding, { readonly error: string }>> {
  try {
    const definition = await library.latest(name);
    await library.keep(definition);
    return definition.ref;
  } catch (error) {
    if (isPermanent(error)) return failed(error);
    throw error;
  }
}

function startOf(id: string, order: ChildOrder, definition: LoadedDefinition): LineStart {
  const { at, parent, input, inputOfParent, address, channel } = order;
  const own = definition.machine.agent?.input(input, inputOfParent);
  const hasContact = definition.lifecycle !== undefined && address !== null;
  return {
    at,
    definition: definition.ref,
    birth: {
      id,
      ...(hasContact ? { contact: contactKey(address) } : {}),
      address: hasContact ? address : null,
      channel,
      input: own ?? (isObject(input) ? input : { input }),
      lifecycleInput: {},
      parent,
    },
  };
}

function failed(error: Error): Extract<AgentEnding, { readonly error: string }> {
  const code = error instanceof InputError ? 'States.ValidationError' : 'States.TaskFailed';
  return { error: code, cause: error.message };
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the request of the parent caused the error, so that a retry would fail too. */
function isPermanent(error: unknown): error is Error {
  if (error instanceof InputError) return true;
  const codes = ['host/bad-request', 'host/exists', 'host/unknown-definition'];
  return error instanceof HostError && codes.includes(error.code);
}
