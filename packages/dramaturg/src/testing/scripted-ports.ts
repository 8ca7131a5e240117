import {
  isRecord,
  type Json,
  type JsonObject,
  type Port,
  PortError,
  type PortInput,
  type PortName,
  type PortOutput,
  type Ports,
  portSchemas,
} from '@dramaturg/compiler';
import { understudyPorts } from '@dramaturg/understudy';
import { AgentError } from '../cli/workflow/agents-port.ts';
import type { Failure } from './test-file.ts';

/** A call that the definition has made. */
export interface MadeCall {
  readonly port: PortName;
  readonly input: JsonObject;
}

/**
 * Answers the calls of a test: with the answers of the running step, in order, else with the agent of that name, else as the understudy does.
 * Owns the answers that were not asked for yet.
 */
export class ScriptedPorts {
  readonly ports: Partial<Ports>;
  /** All calls, in order. */
  readonly calls: MadeCall[] = [];
  readonly #agents: JsonObject;
  #answers: JsonObject[] = [];
  #callsOfStep = 0;
  #exceed = (): void => {};
  /** Resolves when a step has made too many calls. Later calls are not answered, so that an endless loop stops. */
  readonly exceeded = new Promise<void>((resolve) => {
    this.#exceed = resolve;
  });

  /** @param mocked answers the tasks that a mock file answers, before `agents` */
  constructor(agents: JsonObject, others: Partial<Ports>, mocked?: MockedAgent) {
    this.#agents = agents;
    const { recall, remember, reply, choose, extract, think, validate } = understudyPorts();
    const fallback: Partial<Ports> = {
      recall,
      remember,
      reply,
      choose,
      extract,
      think,
      validate,
      // Without an answer of the test, a voice message has no words.
      transcribe: () => ({ text: '' }),
      runAgent: mocked
        ? async (input, call) => (await mocked(input, call)) ?? this.#runAgent(input)
        : (input) => this.#runAgent(input),
      callTool: ({ tool }) => {
        throw new PortError(
          'port/failed',
          'callTool',
          `No answer of the test is left for the tool "${tool}".`,
        );
      },
      ...others,
    };
    // The host answers the other ports itself.
    const names = Object.keys(portSchemas).filter((name) => name in fallback) as PortName[];
    this.ports = Object.fromEntries(
      names.map((name) => [name, this.#port(name, fallback[name] as Port<PortName>)]),
    );
  }

  /** Gives the answers of a step. */
  give(answers: readonly JsonObject[]): void {
    this.#answers = [...answers];
    this.#callsOfStep = 0;
  }

  /** Takes back the answers that no call has asked for. */
  takeUnused(): readonly JsonObject[] {
    const unused = this.#answers;
    this.#answers = [];
    return unused;
  }

  #port<Name extends PortName>(name: Name, fallback: Port<Name>): Port<Name> {
    return (input, call) => {
      this.#callsOfStep += 1;
      if (this.#callsOfStep > callsMax) {
        this.#exceed();
        return unanswered;
      }
      this.calls.push({ port: name, input: input as JsonObject });
      const index = this.#answers.findIndex(
        ({ [name]: output, fails }) => output !== undefined || isFailureOf(fails, name),
      );
      if (index < 0) return fallback(input, call);
      const [answer] = this.#answers.splice(index, 1);
      if (answer!['fails'] !== undefined) throw failureOf(answer!['fails'] as Failure);
      return outputOf(name, answer![name]!, input);
    };
  }

  #runAgent({ agent, input }: PortInput<'runAgent'>): PortOutput<'runAgent'> {
    const given = Object.hasOwn(this.#agents, agent) ? this.#agents[agent] : undefined;
    // Without an answer an agent returns its input, as in a dry run.
    if (given === undefined) return { result: input };
    if (isRecord(given) && 'fails' in given)
      throw failureOf({ port: 'runAgent', ...(given['fails'] as object) });
    return { result: given };
  }
}

export type MockedAgent = (
  ...call: Parameters<Port<'runAgent'>>
) => Promise<PortOutput<'runAgent'> | undefined>;

/** The most calls of one step of a test. A definition that makes more is in an endless loop. */
export const callsMax = 2_000;

const unanswered = new Promise<never>(() => {});

function isFailureOf(fails: Json | undefined, port: PortName): boolean {
  return isRecord(fails) && fails['port'] === port;
}

function failureOf({
  port,
  error,
  message = `The port ${port} fails in this test.`,
}: Failure): Error {
  return error === undefined
    ? new PortError('port/failed', port, message)
    : new AgentError(error, message);
}

/** The short forms of answers: a text for a reply, the value of an extract, the option of a choice, true or a reason of a rule, the result of an agent. */
function outputOf<Name extends PortName>(
  port: Name,
  answer: Json,
  input: PortInput<Name>,
): PortOutput<Name> {
  const short: Partial<Record<PortName, (value: Json) => Json>> = {
    reply: (text) => (typeof text === 'string' ? { text } : text),
    think: (text) => (typeof text === 'string' ? { text } : text),
    transcribe: (text) => (typeof text === 'string' ? { text } : text),
    choose: (option) => (typeof option === 'string' ? { option } : option),
    extract: (value) =>
      isRecord(value) && 'value' in value ? value : { value: nested(value, input) },
    validate: (answered) =>
      typeof answered === 'string'
        ? { reason: answered }
        : answered === true
          ? { ok: true }
          : answered,
    runAgent: (result) => ({ result }),
    callTool: (result) => ({ result }),
  };
  return (short[port]?.(answer) ?? answer) as PortOutput<Name>;
}

/**
 * Puts values into the object of the schema that has them: authors write `{ name: Ada }` for `{ deliverables: { name: Ada } }`.
 * Values that were not asked for stay next to the others: the definition decides about them.
 */
function nested(value: Json, input: object): Json {
  const { properties } = (input as { readonly schema: { readonly properties?: JsonObject } })
    .schema;
  if (!isRecord(value) || !isRecord(properties)) return value;
  const homeOf = (key: string) =>
    Object.keys(properties).find((name) => hasProperty(properties[name], key));
  const usualHome = Object.keys(value).map(homeOf).find(Boolean);
  const result: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    const home = Object.hasOwn(properties, key) ? undefined : (homeOf(key) ?? usualHome);
    if (home === undefined) result[key] = item;
    else result[home] = { ...(result[home] as JsonObject | undefined), [key]: item };
  }
  return result;
}

function hasProperty(schema: unknown, key: string): boolean {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  return isRecord(properties) && Object.hasOwn(properties, key);
}
