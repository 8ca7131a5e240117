import type { Compiled, JsonObject, Ports, PortWishes, World } from '@dramaturg/compiler';
import {
  limitPorts,
  type Limits,
  type Recording,
  understudyPorts,
  unrecorded,
} from '@dramaturg/host';
import { vocabularyOf } from '../exploring/vocabulary.ts';
import type { HostedDefinition } from '../host.ts';
import { type StageOptions, usualStart } from '../testing/stage-options.ts';
import { attend } from './attend.ts';
import { ContactAttendant } from './contact-attendant.ts';
import { RuleOperator } from './rule-operator.ts';
import { Chance } from './chance.ts';
import { converse } from './converse.ts';
import { withFormAnswers } from './form-answers.ts';
import { ModelPerson } from './model-person.ts';
import type { Persona } from './persona.ts';
import { RuleAttendant } from './rule-attendant.ts';
import { RulePerson } from './rule-person.ts';
import { runConcurrently } from './run-concurrently.ts';
import type { Simulated } from './simulated.ts';

export interface SimulationOptions {
  readonly compiled: Compiled;
  /** Definitions that a workflow runs as agents, by name. */
  readonly others?: StageOptions['others'];
  /** The lifecycle of the conversations, on a host where time passes. Without it a conversation has no time. */
  readonly lifecycle?: Compiled | 'built-in';
  readonly personas: readonly Persona[];
  /** Conversations with each persona. */
  readonly runs: number;
  /** Conversations at the same time. */
  readonly concurrency: number;
  readonly seed: number;
  /** The most messages of a person in a conversation. */
  readonly turnsMax: number;
  /** Outcomes and states whose end is a good one; without them the usual outcomes are. */
  readonly good: readonly string[];
  readonly input: JsonObject;
  readonly limits: Limits;
  /** The agents of a workflow. */
  readonly agents?: Partial<Ports> | undefined;
  /** The model that plays the agent; the understudy when left out. */
  readonly ports?: Partial<Ports> & Pick<Ports, 'reply'> & PortWishes;
  /** The model that plays the persons; their rules when left out. */
  readonly personPorts?: Pick<Ports, 'reply'>;
  /** Records or replays a conversation. */
  readonly tape?: (name: string) => Promise<Tape>;
  readonly onEnd?: (simulated: Simulated) => void;
  readonly stop: AbortSignal;
}

/** The recording of one conversation. */
export interface Tape {
  /** The input of a recorded conversation. */
  readonly input?: JsonObject;
  /** Whether the calls of a recorded conversation have their next reply: a replay has to make the same calls. */
  readonly nextReplies?: boolean;
  readonly start: (input: JsonObject) => Recording;
}

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
    // It did not come to its end.
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
  if (!isConversation(compiled)) {
    const attended = await attendOne(persona, chance, options);
    return { persona: persona.name, number, ...attended };
  }
  const compared = vocabularyOf([compiled.chart!]).valuesOf;
  const tape = await options.tape?.(conversationName(persona.name, number));
  const source = { chance, compared, agrees: persona.agrees };
  const input = tape?.input ?? withFormAnswers(compiled, options.input, persona, source);
  const model = personPorts && new ModelPerson(persona, personPorts.reply, chance.uuid());
  const person = model ?? new RulePerson({ persona, chance, compared });
  const recording = tape?.start(input) ?? unrecorded;
  const held = await (options.lifecycle === undefined
    ? converse({
        compiled,
        input,
        ports: ports ?? understudyPorts(),
        nextReplies: tape?.nextReplies ?? ports?.wantsNextReplies === true,
        person,
        recording,
        world: worldOf(new Chance(`${seed} world ${number}`)),
        limits: { ...limits, calls: limits.calls ?? turnsMax * callsOfTurn },
        turnsMax,
        good,
        stop,
      })
    : accompanyOne(
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

/** Whether persons talk to a definition. Those beside workflows and lifecycles decide and send events. */
export function isConversation({ kind }: Compiled): boolean {
  return kind !== 'workflow' && kind !== 'lifecycle';
}

function attendOne(
  persona: Persona,
  chance: Chance,
  { compiled, others, agents, input, turnsMax, good, stop }: SimulationOptions,
): ReturnType<typeof attend> {
  const stage = {
    name: 'simulated',
    definition: compiled,
    others: others ?? {},
    ports: agents ?? {},
    startAt: usualStart,
    input,
  };
  const person = new RuleAttendant(persona, chance, compiled.chart!);
  return attend({ stage, compiled, person, turnsMax, good, stop });
}

/** Holds a conversation on a host, with its lifecycle. */
async function accompanyOne(
  person: ContactAttendant,
  { input, recording }: { readonly input: JsonObject; readonly recording: Recording },
  { compiled, lifecycle, others, ports, limits, turnsMax, good, stop }: SimulationOptions,
): ReturnType<typeof attend> {
  const provided = { ...understudyPorts(), ...ports };
  const answering = recording.ports(limitPorts(provided, limits));
  const { reply, choose, extract, think, recall, remember } = answering;
  const definition: HostedDefinition =
    lifecycle === undefined || lifecycle === 'built-in'
      ? compiled
      : { definition: compiled, lifecycle };
  const stage = {
    name: 'simulated',
    definition,
    others: others ?? {},
    ports: { reply, choose, extract, think, recall, remember },
    startAt: usualStart,
    input,
  };
  try {
    return await attend({ stage, compiled, person, turnsMax, good, recording, stop });
  } finally {
    // Throws the first difference of a replay, which explains any failure above.
    await recording.finish();
  }
}

/** A definition that calls without an end comes to its limit of calls, and not to a standstill of the run. */
const callsOfTurn = 50;

/** Time and chance of a conversation, the same in each run. A second passes with each look at the time. */
function worldOf(chance: Chance): World {
  let now = usualStart;
  return {
    now: () => (now += 1000),
    random: () => chance.next(),
    uuid: () => chance.uuid(),
  };
}
