import {
  type Chart,
  isRecord,
  type Json,
  type JsonObject,
  type Port,
  type PortInput,
  type PortName,
  type Source,
} from '@dramaturg/compiler';
import { type CoverageUnit, unitsOf } from '@dramaturg/compiler/chart';
import type { Recording } from '@dramaturg/host';
import type { UnderstudyCue } from '@dramaturg/understudy/cues';
import type { AnyActor } from 'xstate';
import type { ConversationEvent, ConversationView } from '../cli/view/view.ts';
import { placeOf, UnitWatch } from '../testing/coverage/unit-watch.ts';
import type { Asked } from './answer.ts';
import type { Decided, Move, Situation, Turn } from './situation.ts';

type Changing<Type> = { -readonly [Key in keyof Type]: Type[Key] };
interface OpenTurn extends Changing<Omit<Turn, 'agent' | 'decided' | 'moves' | 'failures'>> {
  agent: string[];
  decided: Decided[];
  moves: Move[];
  failures: string[];
}

/**
 * Follows a conversation from outside: what was said, asked and decided, and which transitions were taken. It sees the same
 * while a conversation is held and while it is replayed.
 */
export class Trail {
  readonly turns: OpenTurn[] = [newTurn({})];
  readonly #source: Source;
  readonly #units: ReadonlyMap<string, CoverageUnit>;
  readonly #watch: UnitWatch;
  readonly #collected = new Set<string>();
  #state = '';
  #asks: PortInput<'reply'>['asks'] = [];
  #schema: unknown;
  /** By state: a view shows the options of each once. */
  readonly #cues = new Map<string, readonly UnderstudyCue[]>();
  /** Descriptions of ways out of states, where a definition lists them next to the actions of the agent. */
  readonly #exits: ReadonlySet<string>;
  #transition: CoverageUnit | undefined;

  constructor(chart: Chart, source: Source) {
    this.#source = source;
    this.#exits = exitsIn(source.value);
    this.#units = unitsOf(chart);
    this.#watch = new UnitWatch(chart, (key) => {
      const unit = this.#units.get(key);
      if (unit?.kind === 'transition') this.#transition = unit;
    });
  }

  readonly view: ConversationView = {
    begin: () => {},
    hear: () => {},
    see: (event) => this.#see(event),
    say: (text) => {
      // An empty line repeats a failed call.
      if (text !== '') this.turns.push(newTurn({ person: text }));
    },
    cue: (state, cues) => void this.#cues.set(state, cues),
    prompt: () => '',
    end: () => {},
  };

  readonly attach = (actor: AnyActor): void => void actor.system.inspect(this.#watch.inspect);

  /** The calls go through the trail, whether a port or a recording answers them. */
  observed(recording: Recording): Recording {
    return {
      ...recording,
      ports: <Provided>(ports: Provided) =>
        Object.fromEntries(
          Object.entries(recording.ports(ports as never) as object).map(([name, port]) => [
            name,
            // The fields of `PortWishes` are next to the ports.
            typeof port === 'function'
              ? this.#observedPort(name as PortName, port as Port<PortName>)
              : port,
          ]),
        ) as Provided,
    };
  }

  /** Why the agent has asked for a person. */
  handedOver: string | undefined;

  situation(): Situation {
    const messages = this.turns.flatMap(({ agent }) => agent);
    return {
      state: this.#state,
      messages,
      asks: this.#asks,
      open: this.#openFields(),
      cues: this.#asks.length > 0 ? [] : waysOf(this.#cues.get(this.#state) ?? [], this.#exits),
      heard: messages.at(-1) ?? '',
    };
  }

  get state(): string {
    return this.#state;
  }

  get #turn(): OpenTurn {
    return this.turns.at(-1)!;
  }

  #see(event: ConversationEvent): void {
    switch (event.type) {
      case 'state.entered':
        this.#turn.moves.push(this.#moveTo(event.state));
        this.#state = event.state;
        this.#transition = undefined;
        return;
      case 'message.sent':
        this.#turn.agent.push(event.text);
        return;
      case 'deliverable.collected':
        this.#collected.add(event.deliverable);
        return;
      case 'help.requested':
        this.handedOver = event.reason ?? 'The agent asks for a person.';
        return;
      case 'deliverable.withdrawn':
        this.#collected.delete(event.deliverable);
        return;
      case 'turn.failed':
        this.#turn.failures.push(`failed: ${event.port}: ${event.message}`);
        return;
      default:
    }
  }

  #moveTo(to: string): Move {
    const move = { from: this.#state, to };
    if (!this.#transition) return move;
    const { label, path } = this.#transition;
    return { ...move, by: label, ...placeOf(this.#source, path) };
  }

  #observedPort(name: PortName, port: Port<PortName>): Port<PortName> {
    return async (input, call) => {
      const turn = this.#turn;
      turn.calls += 1;
      if (name === 'reply') {
        this.#asks = (input as PortInput<'reply'>).asks;
        const [first] = this.#asks;
        if (first) turn.asks = first.name;
        else delete turn.asks;
      }
      if (name === 'extract') this.#schema = (input as PortInput<'extract'>).schema;
      const output = await port(input, call);
      const answer = decidedIn(name, output as JsonObject);
      if (answer !== undefined) turn.decided.push({ port: name, answer });
      return output;
    };
  }

  #openFields(): readonly Asked[] {
    const asked = new Set(this.#asks.map(({ name }) => name));
    return fieldsIn(this.#schema).filter(
      ({ name, schema }) =>
        !asked.has(name) && !this.#collected.has(name) && schema['x-collected'] === undefined,
    );
  }
}

/** The options that a person can mean: the ways out, and not the next actions of the agent. */
function waysOf(
  cues: readonly UnderstudyCue[],
  exits: ReadonlySet<string>,
): readonly UnderstudyCue[] {
  const ways = cues.filter(({ description }) => exits.has(description));
  return ways.length > 0 ? ways : cues;
}

function exitsIn(definition: unknown): ReadonlySet<string> {
  const states = isRecord(definition) ? Object.values(Object(definition['states'])) : [];
  const conditions = states.flatMap((state) => Object(state)['exit_conditions'] ?? []);
  return new Set(conditions.map((each) => String(Object(each)['description'])));
}

function newTurn(more: { readonly person?: string }): OpenTurn {
  return { ...more, agent: [], decided: [], moves: [], calls: 0, failures: [] };
}

/** The decision in an answer; undefined for answers of ports that decide nothing. */
function decidedIn(port: PortName, { value, option, result }: JsonObject): Json | undefined {
  if (port === 'extract') return value;
  if (port === 'choose') return option;
  return port === 'runAgent' || port === 'callTool' ? result : undefined;
}

const depthMax = 4;

/** The single values of a JSON Schema of an object. */
export function fieldsIn(schema: unknown, depth = 0): readonly Asked[] {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  if (!isRecord(properties) || depth > depthMax) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isRecord(property)) return [];
    if (isRecord(property['properties'])) return fieldsIn(property, depth + 1);
    // Lists and objects next to the values are about tasks and names.
    if (/array|object/.test(String(property['type'])) && depth === 0) return [];
    const { description } = property;
    const question = typeof description === 'string' ? description : '';
    return [{ name, question, schema: property as JsonObject }];
  });
}
