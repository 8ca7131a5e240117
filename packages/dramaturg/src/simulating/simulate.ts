import type { Chart, Compiled, Json, JsonObject, Port, Ports } from '@dramaturg/compiler';
import type { FormField } from '@dramaturg/compiler/format';
import type { World } from '@dramaturg/compiler/machine';
import { limitPorts, type Recording, unrecorded } from '@dramaturg/host';
import { understudyPorts } from '@dramaturg/understudy';
import { answersOf, formIn } from '../cli/conversation/session.ts';
import { vocabularyOf } from '../exploring/vocabulary.ts';
import { flowOf, usualStart } from '../testing/stage-options.ts';
import { type AnswerSource, answerTo } from './answer.ts';
import { Chance } from './chance.ts';
import { Absence, ContactAttendant, RuleOperator } from './contact-attendant.ts';
import { converse } from './converse.ts';
import type { SimulationOptions, Tape } from './options.ts';
import { forever, type Persona } from './persona.ts';
import { ModelPerson, RulePerson } from './person.ts';
import { type Act, addTotal, type Attendant, leadsAway, type Simulated } from './situation.ts';
import type { ChartNode } from '@dramaturg/compiler/chart';
import { AgentError } from '../cli/workflow/agents-port.ts';
import { eventsOf } from '../exploring/happenings.ts';
import { resourcesIn } from '../exploring/branches.ts';
import type { HostedDefinition } from '../host.ts';
import { openTasksIn } from '../testing/open-tasks.ts';
import type { Happened } from '../testing/stage.ts';
import { attend } from './attend.ts';
import { type Decider, type HeldTask, ModelDecider, RuleDecider } from './decider.ts';

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

type Attended = Omit<Simulated, 'persona' | 'number'>;

interface Run {
  readonly persona: Persona;
  readonly chance: Chance;
  readonly number: number;
  readonly tape: Tape | undefined;
}

/** Runs a workflow or a lifecycle on a host, together with a person. */
async function participate(
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
async function accompany(
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
