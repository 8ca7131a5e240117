import type { Compiled, Json, JsonObject } from '@dramaturg/compiler';
import type { FormField } from '@dramaturg/compiler/format';
import type { World } from '@dramaturg/compiler/machine';
import { unrecorded } from '@dramaturg/host';
import { understudyPorts } from '@dramaturg/understudy';
import { answersOf, formIn } from '../cli/conversation/session.ts';
import { vocabularyOf } from '../exploring/vocabulary.ts';
import { usualStart } from '../testing/stage-options.ts';
import { accompany, participate } from './accompany.ts';
import { type AnswerSource, answerTo } from './answer.ts';
import { Chance } from './chance.ts';
import { ContactAttendant, RuleOperator } from './contact-attendant.ts';
import { converse } from './converse.ts';
import type { SimulationOptions } from './options.ts';
import type { Persona } from './persona.ts';
import { ModelPerson, RulePerson } from './person.ts';
import type { Simulated } from './situation.ts';

/**
 * Holds the conversations of all personas, several at the same time. They come in the order of the personas. Offline, the same seed gives
 * the same conversations, however many there are at the same time.
 */
export async function simulate(options: SimulationOptions): Promise<readonly Simulated[]> {
  const { personas, runs, concurrency, onEnd } = options;
  const wanted = personas.flatMap((persona) =>
    Array.from({ length: runs }, (_, index) => ({ persona, number: index + 1 })),
  );
  const held = await runConcurrently(wanted, concurrency, async ({ persona, number }, failed) => {
    const stop = AbortSignal.any([options.stop, failed]);
    if (stop.aborted) return [];
    const simulated = await simulateOne(persona, number, { ...options, stop });
    // The conversation was stopped before its end.
    if (stop.aborted) return [];
    onEnd?.(simulated);
    return [simulated];
  });
  return held.flat();
}

/** The name of a conversation, also of its files: `hostile-03`. */
export function conversationName(persona: string, number: number): string {
  return `${persona}-${String(number).padStart(2, '0')}`;
}

async function simulateOne(
  persona: Persona,
  number: number,
  options: SimulationOptions,
): Promise<Simulated> {
  const { compiled, seed, ports, personPorts, limits, turnsMax, good, stop } = options;
  const chance = new Chance(`${seed} ${persona.name} ${number}`);
  const tape = await options.tape?.(conversationName(persona.name, number));
  if (!isConversation(compiled)) {
    const attended = await participate({ persona, chance, number, tape }, options);
    return { persona: persona.name, number, ...attended };
  }
  const compared = vocabularyOf([compiled.chart!]).valuesOf;
  const source = { chance, compared, agrees: persona.agrees };
  const input = tape?.input ?? withFormAnswers(compiled, options.input, persona, source);
  const model = personPorts && new ModelPerson(persona, personPorts.reply, chance.uuid());
  const person = model ?? new RulePerson({ persona, chance, compared });
  const recording = tape?.start(input) ?? unrecorded;
  const held = await (options.lifecycle === undefined
    ? converse({
        compiled,
        input,
        ports: { ...(ports ?? understudyPorts()), ...options.agents },
        nextReplies: tape?.nextReplies ?? ports?.wantsNextReplies === true,
        person,
        recording,
        world: worldOf(new Chance(`${seed} world ${number}`)),
        limits: { ...limits, calls: limits.calls ?? turnsMax * callsOfTurn },
        turnsMax,
        good,
        stop,
      })
    : accompany(
        new ContactAttendant({
          persona,
          chance,
          person,
          operator: new RuleOperator(new Chance(`${seed} operator ${persona.name} ${number}`)),
        }),
        { input, recording },
        options,
      ));
  const usedByPerson = model?.used;
  return { persona: persona.name, number, ...held, ...(usedByPerson ? { usedByPerson } : {}) };
}

/** Whether persons talk to a definition. In workflows and lifecycles they decide and send events. */
export function isConversation({ kind }: Compiled): boolean {
  return kind !== 'workflow' && kind !== 'lifecycle';
}

/** Calls per turn in the default limit: a definition that calls forever reaches it, and does not block the run. */
const callsOfTurn = 50;

/** Time and chance of a conversation, the same in each run. Each reading of the time adds a second. */
function worldOf(chance: Chance): World {
  let now = usualStart;
  return {
    now: () => (now += 1000),
    random: () => chance.next(),
    uuid: () => chance.uuid(),
  };
}

/**
 * Runs work for each item, some of it at the same time, and gives the results in the order of the items. A failure stops the work for later
 * items, and is thrown once the work for earlier ones has ended: of several failures, always that of the first item.
 *
 * @param concurrency how much work runs at the same time
 * @param work its signal is aborted when a failure of an earlier item makes its result useless
 */
export async function runConcurrently<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item, stop: AbortSignal) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const running = new Map<number, AbortController>();
  const failures = new Map<number, unknown>();
  let next = 0;
  const runNext = async (): Promise<void> => {
    while (next < items.length && failures.size === 0) {
      const index = next;
      next += 1;
      const stopping = new AbortController();
      running.set(index, stopping);
      try {
        results[index] = await work(items[index]!, stopping.signal);
      } catch (error) {
        failures.set(index, error);
        for (const [other, controller] of running) if (other > index) controller.abort();
      }
      running.delete(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, runNext));
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
  return results;
}

/** The input with answers to the form that comes before a conversation. Answers that are given stay. */
function withFormAnswers(
  compiled: Compiled,
  input: JsonObject,
  persona: Persona,
  source: AnswerSource,
): JsonObject {
  const form = formIn(compiled);
  if (!form || form.fields.length === 0) return input;
  const given = answersOf(input, form.key);
  const answers = form.fields
    .filter(({ id, required }) => required && !Object.hasOwn(given, id))
    .map((field) => [field.id, answerFor(field, persona, source)] as const);
  return answers.length === 0
    ? input
    : { ...input, [form.key]: { ...Object.fromEntries(answers), ...given } };
}

function answerFor(
  { id, label, type, options }: FormField,
  { answers }: Persona,
  source: AnswerSource,
): Json {
  const own = Object.hasOwn(answers, id) ? answers[id] : undefined;
  if (own !== undefined) return Array.isArray(own) ? source.chance.of(own) : own;
  const schema = type === 'select' ? { enum: options } : { type };
  return answerTo({ name: id, question: label, schema }, source);
}
