import type { JsonObject, Ports } from '@dramaturg/compiler';
import { limitPorts, type Recording, unrecorded } from '@dramaturg/host';
import { understudyPorts } from '@dramaturg/understudy';
import { vocabularyOf } from '../exploring/vocabulary.ts';
import type { HostedDefinition } from '../host.ts';
import { flowOf } from '../testing/contact.ts';
import { usualStart } from '../testing/stage-options.ts';
import { addTotal } from './add-total.ts';
import { attend } from './attend.ts';
import { Chance } from './chance.ts';
import { ContactAttendant } from './contact-attendant.ts';
import { ruleDebaters } from './debaters.ts';
import { ModelDecider } from './model-decider.ts';
import { ModelPerson } from './model-person.ts';
import { Participant } from './participant.ts';
import type { Persona } from './persona.ts';
import { RuleDecider } from './rule-decider.ts';
import { RulePerson } from './rule-person.ts';
import type { Simulated } from './simulated.ts';
import type { SimulationOptions, Tape } from './options.ts';

type Attended = Omit<Simulated, 'persona' | 'number'>;

interface Run {
  readonly persona: Persona;
  readonly chance: Chance;
  readonly number: number;
  readonly tape: Tape | undefined;
}

/** Runs a workflow or a lifecycle on a host, together with a person. */
export async function participate(
  { persona, chance, number, tape }: Run,
  options: SimulationOptions,
): Promise<Attended> {
  const { compiled, others = {}, ports, agents, personPorts, limits, seed } = options;
  const { turnsMax, good, stop } = options;
  const charts = [compiled, ...Object.values(others).map(flowOf)].map(({ chart }) => chart!);
  const vocabulary = vocabularyOf(charts);
  const rules = new RuleDecider(persona, chance, vocabulary);
  const model = personPorts && new ModelPerson(persona, personPorts.reply, chance.uuid());
  const decider = personPorts && new ModelDecider(persona, personPorts.choose, rules, chance);
  const person = model ?? new RulePerson({ persona, chance, compared: vocabulary.valuesOf });
  const contact = new ContactAttendant({ persona, chance, person });
  const participant = new Participant({
    persona,
    chance,
    charts,
    decider: decider ?? rules,
    contact,
  });
  const input = tape?.input ?? options.input;
  const recording = tape?.start(input) ?? unrecorded;
  const runName = `${seed} run ${persona.name} ${number}`;
  const draws = new Chance(runName);
  const answering = recording.ports(
    limitPorts(
      {
        ...understudyPorts(),
        ...(ports ? {} : { runAgent: ruleDebaters(persona, new Chance(`${runName} debate`)) }),
        ...ports,
        ...agents,
      },
      limits,
    ),
  );
  const stage = {
    name: 'simulated',
    definition: compiled,
    others,
    ports: portsOfStage(answering),
    startAt: usualStart,
    draws: { random: () => draws.next(), uuid: () => draws.uuid() },
    input,
  };
  const attended = await finishing(recording, () =>
    attend({ stage, compiled, person: participant, turnsMax, good, recording, stop }),
  );
  const used = [model?.used, decider?.used].flatMap((each) => each ?? []);
  return used.length === 0 ? attended : { ...attended, usedByPerson: used.reduce(addTotal) };
}

/** Holds a conversation on a host, with its lifecycle. */
export async function accompany(
  person: ContactAttendant,
  { input, recording }: { readonly input: JsonObject; readonly recording: Recording },
  { compiled, lifecycle, others, ports, agents, limits, turnsMax, good, stop }: SimulationOptions,
): Promise<Attended> {
  const answering = recording.ports(
    limitPorts({ ...understudyPorts(), ...ports, ...agents }, limits),
  );
  const definition: HostedDefinition =
    lifecycle === undefined || lifecycle === 'built-in'
      ? compiled
      : { definition: compiled, lifecycle };
  const stage = {
    name: 'simulated',
    definition,
    others: others ?? {},
    ports: portsOfStage(answering),
    startAt: usualStart,
    input,
  };
  return finishing(recording, () =>
    attend({ stage, compiled, person, turnsMax, good, recording, stop }),
  );
}

/** The ports that a definition may call. */
function portsOfStage(answering: Partial<Ports>): Partial<Ports> {
  const { reply, choose, extract, think, validate, recall, remember, runAgent, callTool } =
    answering;
  const ports = { reply, choose, extract, think, validate, recall, remember, runAgent, callTool };
  return Object.fromEntries(Object.entries(ports).filter(([, port]) => port !== undefined));
}

async function finishing<Result>(
  recording: Recording,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } finally {
    // Throws the first difference of a replay, which explains any failure above.
    await recording.finish();
  }
}
