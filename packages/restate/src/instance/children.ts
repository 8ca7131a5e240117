import type { AgentEnding } from '@dramaturg/compiler/machine';
import {
  type Birth,
  childStart,
  endingOfRefused,
  endingOfStart,
  type LoadedDefinition,
  stateOf,
  unknownInstance,
} from '@dramaturg/host/engine';
import type { DefinitionVersion } from '@dramaturg/host/store';
import type { ObjectContext } from '@restatedev/restate-sdk';
import { type CreateOrder, type LineStart, send, type Standing } from './messages.ts';
import type { Engine } from '../engine.ts';
import { outcomeOf, valueOf } from '../restate/ingress.ts';
import { type AbandonOrder, answerParent, type ChildOrder } from './family-letters.ts';
import { type Head, headKey, readInstance } from './state-layout.ts';
import { begin, step } from './step.ts';

/** State key of a child that was abandoned before it was created. It is never created. */
const abandonedKey = 'abandoned';

/** Starts a child, unless it exists. A child that has ended answers its parent again. */
export async function adopt(
  engine: Engine,
  context: ObjectContext,
  order: ChildOrder,
): Promise<void> {
  const { names } = engine;
  const { at, parent } = order;
  const answer = (ending: AgentEnding) => {
    if (!parent) {
      const because = 'error' in ending ? ending.cause : '';
      engine.onError(new Error(because), `starting ${JSON.stringify(context.key)}`);
      return;
    }
    answerParent(context, names, parent, ending, at);
  };
  if (await context.get<Head>(headKey)) {
    const { ending } = stateOf((await readInstance(context)).record);
    if (ending) answer(ending);
    return;
  }
  if (await context.get<boolean>(abandonedKey)) return;
  const refused = parent && endingOfRefused(order.definition, parent);
  if (refused) {
    answer(refused);
    return;
  }
  // Another process may have another version, so the choice is stored.
  const chosen = await context.run('choose the version', () => latestOf(engine, order.definition));
  if ('error' in chosen) {
    answer(chosen);
    return;
  }
  const definition = await engine.library.load(chosen);
  const start = startOf(context.key, order, definition);
  const { contact } = start.birth;
  if (contact === undefined) {
    const birth: Birth = { ...start.birth, queued: false };
    await create(engine, context, { ...start, birth, createdAt: at });
  } else send(context, { service: names.contact, key: contact, handler: 'start' }, start);
}

/**
 * Starts an instance. A child that cannot be started answers the call of its parent with the reason.
 *
 * @throws HostError `host/bad-request` when the process that runs the handler does not have the channel, or the channel refuses
 * the contact
 */
export async function create(
  engine: Engine,
  context: ObjectContext,
  order: CreateOrder,
): Promise<Standing> {
  const { parent } = order.birth;
  // Its start has waited for other work of the contact: the parent may have abandoned it.
  if (parent && (await context.get<boolean>(abandonedKey))) throw unknownInstance(parent.instance);
  if (!parent) await requireContact(engine, context, order.birth);
  try {
    return await begin(engine, context, order);
  } catch (error) {
    const ending = parent && endingOfStart(error);
    if (ending) answerParent(context, engine.names, parent, ending, order.at);
    throw error;
  }
}

/** Restate remembers the answer: a process that repeats the handler may have other channels. */
async function requireContact(engine: Engine, context: ObjectContext, birth: Birth): Promise<void> {
  if (birth.channel === null) return;
  const known = await context.run('channel', () =>
    outcomeOf(async () => engine.requireContact(birth)),
  );
  valueOf(known);
}

/** Cancels a child whose parent no longer waits. */
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
    const ending = endingOfStart(error);
    if (!ending) throw error;
    return ending;
  }
}

function startOf(id: string, order: ChildOrder, definition: LoadedDefinition): LineStart {
  const { at, parent, channel } = order;
  return {
    at,
    definition: definition.ref,
    birth: {
      id,
      ...childStart(definition, order),
      channel,
      ...(parent && { parent }),
    },
  };
}
