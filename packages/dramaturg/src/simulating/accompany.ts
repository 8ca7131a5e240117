import type { Chart, Json, JsonObject, Port, Ports } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import { limitPorts, type Recording, unrecorded } from '@dramaturg/host';
import { understudyPorts } from '@dramaturg/understudy';
import { AgentError } from '../cli/workflow/agents-port.ts';
import { eventsOf } from '../exploring/happenings.ts';
import { resourcesIn } from '../exploring/resources-in.ts';
import { vocabularyOf } from '../exploring/vocabulary.ts';
import type { HostedDefinition } from '../host.ts';
import { flowOf, usualStart } from '../testing/stage-options.ts';
import { openTasksIn } from '../testing/open-tasks.ts';
import type { Happened } from '../testing/stage.ts';
import { type Act, addTotal, type Attendant, leadsAway, type Simulated } from './situation.ts';
import { attend } from './attend.ts';
import { Chance } from './chance.ts';
import { Absence, ContactAttendant } from './contact-attendant.ts';
import { type Decider, type HeldTask, ModelDecider, RuleDecider } from './decider.ts';
import { ModelPerson, RulePerson } from './person.ts';
import type { SimulationOptions, Tape } from './options.ts';
import { forever, type Persona } from './persona.ts';

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

/**
 * The agents of debates by the rules of a persona: they speak and vote for or against, as often as the persona agrees. An agent
 * that refuses fails its turn. An agent that stays away never answers, so its turn times out. All other agents return their
 * input, as in a dry run.
 */
function ruleDebaters(persona: Persona, chance: Chance): Port<'runAgent'> {
  const { agrees, refuses, absent, phrases } = persona;
  return async ({ agent, input }) => {
    if (!isTurn(input)) return { result: input };
    if (chance.happens(absent.chance) && chance.of(absent.for) === forever)
      throw new AgentError('States.Timeout', `"${agent}" does not answer.`);
    if (chance.happens(refuses.chance))
      throw new AgentError('States.TaskFailed', `"${agent}" does not take part.`);
    const isFor = chance.happens(agrees);
    const stance = isFor ? 'yes' : 'no';
    const words = chance.of(phrases).replaceAll('{answer}', stance);
    const result: JsonObject = {
      response: words,
      vote: stance,
      decision: stance,
      agreement: isFor ? 1 : 0,
    };
    return { result };
  };
}

/** Whether an agent is asked for its turn in a debate. Spec: docs/formats/asl-agents.md#debate */
function isTurn(input: Json): boolean {
  const { prompt, topic, round, history } = Object(input) as JsonObject;
  return [prompt, topic].every((each) => typeof each === 'string') && !!round && !!history;
}

interface ParticipantOptions {
  readonly persona: Persona;
  readonly chance: Chance;
  /** The chart of the workflow or the lifecycle, and those of the definitions that it calls. */
  readonly charts: readonly Chart[];
  readonly decider: Decider;
  /** Talks in the conversations that the workflow holds. */
  readonly contact: ContactAttendant;
}

/**
 * A person in a workflow or a lifecycle. It talks in conversations that the workflow holds, answers decisions, completes tasks
 * with tokens that it has, and sends events that the definition names. A confused or hostile person also sends unexpected events.
 */
class Participant implements Attendant {
  readonly #persona: Persona;
  readonly #chance: Chance;
  readonly #absence: Absence;
  readonly #decider: Decider;
  readonly #contact: ContactAttendant;
  readonly #resources: ReadonlyMap<string, string>;
  readonly #events: readonly JsonObject[];
  readonly #accepted: ReadonlyMap<string, readonly string[]>;

  constructor({ persona, chance, charts, decider, contact }: ParticipantOptions) {
    const [chart] = charts;
    this.#persona = persona;
    this.#chance = chance;
    this.#absence = new Absence(persona, chance);
    this.#decider = decider;
    this.#contact = contact;
    this.#resources = new Map(charts.flatMap((each) => [...resourcesIn(each)]));
    this.#events = chart!.format === 'lifecycle' ? eventsOf(chart!) : [];
    this.#accepted = acceptedIn(chart!);
  }

  get isGone(): boolean {
    return this.#absence.isGone || this.#contact.isGone;
  }

  /** The next act of the person; undefined when nothing more can happen. */
  async next(happened: Happened): Promise<Act | undefined> {
    const { view, decisions, waits } = happened;
    const [question] = decisions;
    const [task] = this.#heldTasks(happened);
    const isNeeded = question !== undefined || task !== undefined || this.#events.length > 0;
    if (!isNeeded && waits.some((wait) => wait.for === 'message')) {
      // Waits of the workflow around the conversation are not for its contact.
      const messages = waits.filter((wait) => wait.for === 'message');
      return this.#contact.next({ ...happened, view: { ...view, waits: messages } });
    }
    const away = isNeeded && !this.isGone ? this.#absence.next() : undefined;
    if (away !== undefined && !this.isGone) return { later: away };
    if (this.isGone) return view.dueAt === undefined ? undefined : { later: 'to the end' };
    if (question) return { decide: await this.#decider.decide(question, decisions.length > 1) };
    if (task) {
      const ending = await this.#decider.finish(task);
      return ending ? { task: ending } : { later: pause };
    }
    const event = this.#event(view.state);
    if (event) return { event: event as never };
    return view.dueAt === undefined ? undefined : { waits: true };
  }

  #heldTasks({ waits }: Happened): readonly HeldTask[] {
    const open = openTasksIn(waits);
    return open.map((task) => ({
      ...task,
      resource: this.#resources.get(task.state) ?? task.state,
      isOneOfSeveral: open.length > 1,
    }));
  }

  #event(state: string): JsonObject | undefined {
    if (this.#events.length === 0) return undefined;
    const { digresses, agrees } = this.#persona;
    const accepted = this.#accepted.get(state) ?? [];
    const fitting = this.#events.filter(({ type }) => accepted.includes(type as string));
    if (fitting.length === 0 || this.#chance.happens(digresses.chance))
      return this.#chance.of(this.#events);
    const wantsOn = this.#chance.happens(agrees);
    const willing = fitting.filter(({ type }) => leadsAway.test(type as string) !== wantsOn);
    return this.#chance.of(willing.length > 0 ? willing : fitting);
  }
}

/** How long a person does nothing after the decision to wait. */
const pause = '1 hour';

/** The events that the states of a lifecycle accept. */
function acceptedIn(chart: Chart): ReadonlyMap<string, readonly string[]> {
  const accepted = new Map<string, readonly string[]>();
  const pending: ChartNode[] = [chart];
  for (const { meta = {}, states = {} } of pending) {
    pending.push(...Object.values(states));
    const { state, accepts } = meta as { readonly state?: string; readonly accepts?: JsonObject[] };
    if (state !== undefined && accepts)
      accepted.set(
        state,
        accepts.map(({ event }) => event as string),
      );
  }
  return accepted;
}
