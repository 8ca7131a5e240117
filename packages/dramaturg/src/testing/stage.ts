import { type Compiled, isRecord, type JsonObject } from '@dramaturg/compiler';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';
import {
  type Answer,
  type DecisionSummary,
  HostError,
  type InstanceSummary,
  type InstanceView,
  type ManualClock,
  memoryStore,
  type StoreLocation,
  type TranscriptLine,
  type Wait,
} from '@dramaturg/host/browser';
import type { LineRange, StoreRecord } from '@dramaturg/host/store';
import { AgentError } from '../cli/workflow/agents-port.ts';
import { createHost, type Host } from '../host.ts';
import { contact, contactOf, flowOf, FreeClocks, type StageOptions } from './stage-options.ts';
import { statePlace } from './coverage/unit-watch.ts';
import {
  type GivenDecision,
  type GivenTask,
  Mocks,
  type OperatorCommand,
  readDuration,
  resultOf,
  type TestStep,
  untilTheEnd,
} from './test-file.ts';
import { type OpenTask, openTasksIn, taskEvent, taskMeant } from './open-tasks.ts';
import { callsMax, type MockedAgent, ScriptedPorts } from './scripted-ports.ts';
import { placeInMemory, sampleFile } from './sample-files.ts';
import { isOfPort, StepError } from './step-error.ts';

/** The instances that run as agents on the host of a test. All of them descend from the instance of the test. */
class Children {
  readonly #host: Host;
  readonly #parent: string;
  readonly #arePossible: boolean;

  /** @param arePossible false without other definitions: then nothing is looked up */
  constructor(host: Host, parent: string, arePossible: boolean) {
    this.#host = host;
    this.#parent = parent;
    this.#arePossible = arePossible;
  }

  /** In the order in which they were started. */
  async all(): Promise<readonly InstanceSummary[]> {
    if (!this.#arePossible) return [];
    const found: InstanceSummary[] = [];
    for (let after: string | undefined; ;) {
      const { items, next } = await this.#host.list({}, { limit: 500, ...(after && { after }) });
      found.push(...items.filter(({ id }) => id !== this.#parent));
      if (next === undefined) return found;
      after = next;
    }
  }

  /** The children that have not ended. */
  async views(): Promise<readonly InstanceView[]> {
    const open = (await this.all()).filter(({ ended }) => !ended);
    return Promise.all(open.map(({ id }) => this.#host.get(id)));
  }

  /**
   * The first open child of a definition.
   *
   * @throws StepError when there is none
   */
  async named(name: string): Promise<string> {
    const open = (await this.all()).filter(({ ended }) => !ended);
    const found = open.find(({ definition }) => definition.name === name);
    if (found) return found.id;
    const names = [...new Set(open.map(({ definition }) => definition.name))];
    throw new StepError(
      `No agent "${name}" runs now.`,
      didYouMean(name, names) ??
        (names.length === 0
          ? 'Look at the state in the step before: no definition runs as an agent.'
          : `These definitions run as agents: ${quotedList(names)}.`),
    );
  }
}

const pageSize = 10_000;

/** Reads all lines from a position on, page by page. */
async function allLines<Line>(
  read: (range: LineRange) => Promise<readonly Line[]>,
  from: number,
): Promise<Line[]> {
  const lines: Line[] = [];
  for (;;) {
    const page = await read({ from: from + lines.length, limit: pageSize });
    lines.push(...page);
    if (page.length < pageSize) return lines;
  }
}

/** The events and the state of an instance since a moment. */
export interface Happened {
  readonly view: InstanceView;
  /** The time of the host, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** Messages to the contact. */
  readonly said: readonly string[];
  /** Emitted events of flow, lifecycle and host. */
  readonly events: readonly JsonObject[];
  /** The last state that the flow has entered, possibly before that moment. */
  readonly state: string | undefined;
  readonly calls: ScriptedPorts['calls'];
  readonly decisions: readonly DecisionSummary[];
  /** The waits of the instance, and of the instances that run as agents. */
  readonly waits: readonly Wait[];
  /** Why the last event was refused. */
  readonly refused: string | undefined;
}

const clocks = new FreeClocks();

/** The most timers of one step: a definition that sets timers forever would never come to rest. */
const timersMax = 10_000;

/**
 * The instance of a test, on a host in memory with a clock that stands still. Owns the host, its clock and its ports until
 * `close`.
 */
export class Stage {
  readonly id = 'test';
  readonly #host: Host;
  readonly #clock: ManualClock;
  readonly #ports: ScriptedPorts;
  readonly #errors: unknown[];
  readonly #flow: Compiled;
  readonly #children: Children;
  readonly #mocks: Mocks | undefined;
  #lines = 0;
  /** How many lines of each transcript were read. */
  readonly #linesRead = new Map<string, number>();
  #calls = 0;
  #state: string | undefined;
  #refused: string | undefined;
  #messages = 0;
  #hasBegun = false;

  private constructor(
    { definition, others = {} }: StageOptions,
    host: Host,
    clock: ManualClock,
    ports: ScriptedPorts,
    errors: unknown[],
    mocks: Mocks | undefined,
  ) {
    this.#flow = flowOf(definition);
    this.#children = new Children(host, this.id, Object.keys(others).length > 0);
    this.#host = host;
    this.#clock = clock;
    this.#ports = ports;
    this.#errors = errors;
    this.#mocks = mocks;
  }

  static async open(options: StageOptions): Promise<Stage> {
    const { name, definition, others = {}, agents = {}, ports = {}, startAt, draws } = options;
    const clock = clocks.take(startAt, draws);
    const mocks = options.mocked && new Mocks(options.mocked);
    const mocked: MockedAgent = async ({ key, agent }, { instance }) => {
      const { waits } = await host.get(instance!);
      const state = waits
        .find((wait) => wait.for === 'call' && wait.key === key)
        ?.path.at(-1)?.state;
      if (state === undefined || !mocks?.has(state)) return undefined;
      // The answer of the mock comes back with the token.
      if (agent.endsWith('.waitForTaskToken')) return { result: null };
      return { result: resultOf(agent, mocks.answer(state)) };
    };
    const scripted = new ScriptedPorts(agents, ports, mocks && mocked);
    const errors: unknown[] = [];
    const host: Host = await createHost({
      store: testStore(),
      definitions: { ...others, [name]: definition },
      ports: scripted.ports,
      channels: { test: { deliver: () => {} } },
      attachments: { place: placeInMemory(), types: ['*'] },
      clock,
      // Failures of ports are events of the instance, and a test may leave out definitions that are started at the end. All other
      // errors are bugs.
      onError: (error) => {
        const isLeftOut = error instanceof HostError && error.code === 'host/unknown-definition';
        if (!isOfPort(error) && !isLeftOut) errors.push(error);
      },
    });
    return new Stage(options, host, clock, scripted, errors, mocks);
  }

  /** Starts the instance with the answers of the first step. */
  async start(options: StageOptions, answers: readonly JsonObject[]): Promise<void> {
    this.#ports.give(answers);
    const { name, definition, others = {}, input, lifecycleInput } = options;
    await this.#host.start(name, {
      id: this.id,
      ...contactOf(definition, others),
      ...(input ? { input } : {}),
      ...(lifecycleInput ? { lifecycleInput } : {}),
    });
    this.#hasBegun = true;
    await this.#settle();
  }

  /** Carries out the happening of a step. */
  async happen({ answers = [], ...step }: TestStep): Promise<void> {
    this.#ports.give(answers);
    this.#refused = undefined;
    if (step.person !== undefined) this.#note(await this.#say(step.person, step.files));
    else if (step.event)
      this.#note(await this.#host.send(await this.#addressee(step.child), step.event));
    else if (step.decide !== undefined) this.#note(await this.#decide(step.decide));
    else if (step.task) this.#note(await this.#giveBack(step.task, step.child));
    else if (step.operator !== undefined)
      this.#note(await this.#command(await this.#addressee(step.child), step.operator));
    else if (step.later !== undefined) await this.#pass(step.later);
    await this.#settle();
  }

  /** The person writes several messages before the first of them is answered. */
  async write(lines: readonly string[]): Promise<void> {
    this.#refused = undefined;
    const answers = await Promise.all(lines.map((text) => this.#say(text)));
    for (const answer of answers) this.#note(answer);
    await this.#settle();
  }

  /** Reads what has happened since the last call. */
  async read(): Promise<Happened> {
    const view = await this.#host.get(this.id);
    const lines = await allLines((range) => this.#host.journal(this.id, range), this.#lines);
    this.#lines += lines.length;
    const transcript = await this.#newLines();
    const events = lines.flatMap((line) => eventIn(line));
    for (const { source, event } of events)
      if (source === 'flow' && event['type'] === 'state.entered')
        this.#state = event['state'] as string;
    const calls = this.#ports.calls.slice(this.#calls);
    this.#calls = this.#ports.calls.length;
    const { items } = await this.#host.decisions({ instance: this.id }, { limit: 100 });
    return {
      view,
      at: this.#clock.now(),
      said: transcript.flatMap(({ role, text }) =>
        role === 'agent' || role === 'manual' ? [text] : [],
      ),
      events: events.map(({ event }) => event),
      state: this.#state,
      calls,
      decisions: items,
      waits: [view, ...(await this.#children.views())].flatMap(({ waits }) => waits),
      refused: this.#refused,
    };
  }

  /** The new lines of the transcripts: of the instance first, and then of its children. */
  async #newLines(): Promise<readonly TranscriptLine[]> {
    const found: TranscriptLine[] = [];
    for (const id of [this.id, ...(await this.#children.all()).map((child) => child.id)]) {
      const from = this.#linesRead.get(id) ?? 0;
      const lines = await allLines((range) => this.#host.transcript(id, range), from);
      this.#linesRead.set(id, from + lines.length);
      found.push(...lines);
    }
    return found;
  }

  takeUnusedAnswers(): readonly JsonObject[] {
    return this.#ports.takeUnused();
  }

  /** The stored journal and the charts, for coverage; undefined when the instance could not be started. */
  async record() {
    if (!this.#hasBegun) return undefined;
    const lines = await allLines((range) => this.#host.journal(this.id, range), 0);
    return { id: this.id, lines, charts: await this.#host.charts(this.id) };
  }

  async close(): Promise<void> {
    await this.#host.stop({ within: 0 });
    clocks.giveBack(this.#clock);
  }

  async #settle(): Promise<void> {
    await this.#rest();
    if (this.#mocks?.fault) throw this.#mocks.fault;
    if (this.#errors.length > 0) throw this.#errors[0];
  }

  /** Whether a mock has thrown this error. */
  hasMocked(error: string | null): boolean {
    return this.#mocks?.thrown.has(error ?? '') === true;
  }

  /** Waits until the instance rests. The clock stands still, so only the number of calls bounds an endless loop. */
  async #rest(): Promise<void> {
    const isEndless = await Promise.race([
      this.#host.settle().then(() => false),
      this.#ports.exceeded.then(() => true),
    ]);
    if (!isEndless) {
      if (await this.#giveMockedTokens()) await this.#rest();
      return;
    }
    const { state } = await this.read();
    const { line, column } = state === undefined ? {} : statePlace(this.#flow, state);
    const place = line === undefined ? '' : `, ${line}:${column} of the definition`;
    const where = state === undefined ? '' : `: it is in the state "${state}"${place}`;
    throw new StepError(
      `The step has made ${callsMax} calls and goes on${where}.`,
      'Look for a loop without an end there, or give an answer that leads out of it.',
      state,
    );
  }

  /** Gives back the tokens of the tasks that a mock answers. @returns whether there were any */
  async #giveMockedTokens(): Promise<boolean> {
    const mocks = this.#mocks;
    if (!mocks || mocks.fault) return false;
    const open = (await this.#openTasks()).filter(({ state }) => mocks.has(state));
    for (const task of open) {
      try {
        const completes = mocks.answer(task.state);
        await this.#host.send(task.id, taskEvent({ completes }, task));
      } catch (error) {
        if (!(error instanceof AgentError)) throw error;
        const fails = { error: error.error, cause: error.message };
        await this.#host.send(task.id, taskEvent({ fails }, task));
      }
    }
    return open.length > 0;
  }

  async #openTasks(): Promise<readonly (OpenTask & { readonly id: string })[]> {
    const views = [await this.#host.get(this.id), ...(await this.#children.views())];
    return views.flatMap(({ id, waits }) => openTasksIn(waits).map((task) => ({ ...task, id })));
  }

  async #say(text: string, files: readonly string[] = []): Promise<Answer | undefined> {
    this.#messages += 1;
    const id = `message-${this.#messages}`;
    const data = files.length > 0 && { data: { attachments: files.map(sampleFile) } };
    const routed = await this.#host.receive({ contact, text, id, ...data });
    if (routed.instance !== null) return routed;
    throw new StepError(
      'Nobody receives this message: the conversation has ended.',
      'Remove the step, or look at why it has ended before.',
    );
  }

  async #decide(given: GivenDecision): Promise<Answer> {
    const { question, ...decision } = typeof given === 'string' ? { decision: given } : given;
    const { items } = await this.#host.decisions({ instance: this.id }, { limit: 100 });
    const open = items.filter(({ prompt }) => question === undefined || prompt.includes(question));
    const [only] = open;
    if (!only)
      throw new StepError(
        question === undefined
          ? 'Nobody is asked for a decision now.'
          : `No open question contains "${question}".`,
        'Look at the state in the step before.',
      );
    if (open.length > 1)
      throw new StepError(
        `${open.length} decisions are open: ${open.map(({ prompt }) => JSON.stringify(prompt)).join(', ')}.`,
        'Say which one is meant with "question".',
      );
    return this.#host.decide(only.decision, decision as Parameters<Host['decide']>[1]);
  }

  /** Gives a token back to a task of the instance, or of an instance that runs as an agent. */
  async #giveBack(given: GivenTask, child: string | undefined): Promise<Answer> {
    const all = await this.#openTasks();
    const addressee = child === undefined ? undefined : await this.#addressee(child);
    const open = all.filter(({ id }) => addressee === undefined || id === addressee);
    const task = taskMeant(given, open);
    return this.#host.send(task.id, taskEvent(given, task));
  }

  #command(id: string, command: OperatorCommand): Promise<Answer> {
    if (typeof command === 'object')
      return 'intervene' in command
        ? this.#host.intervene(id, command.intervene)
        : this.#host.cancel(id, command.cancel);
    return this.#host[command](id);
  }

  /** The instance that gets an event or a command: the instance of the test, or the first open one of a child's definition. */
  async #addressee(child: string | undefined): Promise<string> {
    return child === undefined ? this.id : this.#children.named(child);
  }

  /** Lets time pass until somebody is asked, or nothing more is due. */
  async passUntilAsked(): Promise<void> {
    this.#refused = undefined;
    await this.#pass(untilTheEnd, () => this.#isAsked());
    await this.#settle();
  }

  /** Whether the instance waits for a decision, a token or a message. */
  async #isAsked(): Promise<boolean> {
    const views = [await this.#host.get(this.id), ...(await this.#children.views())];
    return views.some(({ waits }) => waits.some((wait) => isForPeople.has(wait.for)));
  }

  /** Sets the clock from timer to timer, so that each has its effects before the next is due. */
  async #pass(later: string, isOver = async () => false): Promise<void> {
    const isOpen = later === untilTheEnd;
    const until = isOpen ? Infinity : this.#clock.now() + readDuration(later)!;
    for (let fired = 0; ; fired += 1) {
      const due = await this.#nextDue();
      if (due === undefined || due > until) break;
      if (fired === timersMax)
        throw new StepError(
          `${timersMax} timers have fired, and the next is due already.`,
          'Write a shorter time.',
        );
      this.#clock.set(Math.max(due, this.#clock.now()));
      await this.#rest();
      if (await isOver()) return;
    }
    if (!isOpen) this.#clock.set(until);
  }

  async #nextDue(): Promise<number | undefined> {
    const { items } = await this.#host.list({ ended: false }, { limit: 1000 });
    const times = items.flatMap(({ dueAt }) => (dueAt === undefined ? [] : [dueAt]));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #note(answer: Answer | undefined): void {
    if (answer && !answer.accepted) this.#refused = answer.because;
  }
}

/** Waits that a person ends. */
const isForPeople: ReadonlySet<string> = new Set(['decision', 'token', 'message']);

function eventIn(line: unknown): { source: unknown; event: JsonObject }[] {
  if (!isRecord(line) || line['source'] === 'step' || !isRecord(line['event'])) return [];
  return [{ source: line['source'], event: line['event'] as JsonObject }];
}

/**
 * A store in memory for one host. It keeps definitions as objects and not as text: no other host opens it, and writing a chart
 * costs as much as several steps.
 */
function testStore(): StoreLocation {
  const place = memoryStore();
  return {
    ...place,
    open: async (owner) => {
      const store = await place.open(owner);
      const create = store.create.bind(store);
      const read = store.read.bind(store);
      const definitions = new Map<string, StoreRecord>();
      return Object.assign(store, {
        create: async (record: Parameters<typeof create>[0]) => {
          if (record.kind !== 'definition') return create(record);
          definitions.set(record.id, { ...record, ...asCreated, updatedAt: record.createdAt });
          return asCreated;
        },
        read: async (id: string) => definitions.get(id) ?? read(id),
      });
    },
  };
}

const asCreated = {
  revision: 1,
  journalLength: 0,
  transcriptLength: 0,
  ended: false,
  timers: [],
  parts: [],
  outbox: [],
};
