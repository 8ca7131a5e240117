import { compile, type Json, type JsonObject, type Ports, providePorts } from '@dramaturg/compiler';
import {
  contextGraph,
  type GraphContext,
  type GraphEmitted,
  type GraphEvent,
  type GraphInput,
} from '@dramaturg/context-graph';
import { type AnyActor, createActor, type EventObject, waitFor } from 'xstate';

export type Answer = readonly [port: string, answer: Json];

/** A call of a port. Its key contains its purpose and its state. */
export interface PortCallRecord {
  readonly what: string;
  readonly state: string;
  readonly input: JsonObject;
}

/** A conversation that follows a graph. The model gives the answers of the case in order. */
export class Performance {
  readonly actor: AnyActor;
  /** The calls and events since the last turn. */
  calls: PortCallRecord[] = [];
  events: GraphEmitted[] = [];
  #answers: readonly Answer[] = [];
  /** The number of answers used in the turn. */
  #answered = 0;

  constructor(
    graph: JsonObject,
    options: JsonObject,
    start: GraphInput,
    ports: Partial<Ports> = {},
  ) {
    const { machine, diagnostics } = compile(JSON.stringify(graph), {
      formats: [contextGraph],
      format: 'context-graph',
      options,
    });
    if (!machine) throw new Error(diagnostics.map(({ message }) => message).join(' '));
    const note = (input: { readonly key: string }): string => {
      const [, , ...address] = input.key.split('/');
      const [what = '', state] = [address.at(-2), address.slice(0, -2)];
      this.calls.push({ what, state: shown(state), input: input });
      return what;
    };
    this.actor = createActor(
      providePorts(machine, {
        recall: (input) => {
          note(input);
          return { memories: [] };
        },
        choose: (input) => ({ option: this.#next(note(input)) as string }),
        think: (input) => ({ text: this.#next(note(input)) as string }),
        extract: (input) => {
          const what = note(input);
          const answer = this.#next(what);
          return { value: what === 'queries' ? { queries: answer } : { arguments: answer } };
        },
        callTool: (input) => {
          note(input);
          return { result: 'done' };
        },
        reply: (input) => {
          note(input);
          return { text: 'So.' };
        },
        ...ports,
      }),
      { input: start },
    );
    this.actor.on('*', (event) => this.events.push(event as GraphEmitted));
  }

  get context(): GraphContext {
    return this.actor.getSnapshot().context as GraphContext;
  }

  /**
   * Plays a turn. Starts the actor before the first turn. A failed turn continues from the failed call. Case files list all calls
   * of such a turn again, so calls that were answered before the failure also count.
   */
  async turn(user: string | null, answers: readonly Answer[]): Promise<void> {
    if (this.actor.getSnapshot().hasTag('failed')) {
      this.calls.pop();
      this.events = this.events.filter(({ type }) => type !== 'turn.failed');
    } else {
      this.calls = [];
      this.events = [];
      this.#answered = 0;
    }
    this.#answers = answers.slice(this.#answered);
    this.actor.start();
    if (user !== null) this.actor.send(messageOf(user));
    await waitFor(this.actor, ({ status, tags }) => status !== 'active' || tags.has('waiting'));
  }

  /**
   * Returns the next answer. In case files, the name of an answer is that of its question; the arguments of a tool are named
   * `tool`.
   */
  #next(what: string): Json {
    const [answer, ...rest] = this.#answers;
    const name = what === 'prepare' ? 'tool' : what;
    if (answer?.[0] !== name) throw new Error(`asked to ${name} without an answer`);
    this.#answers = rest;
    if (answer[1] === 'THROW') throw new Error('model error');
    this.#answered += 1;
    return answer[1];
  }
}

function messageOf(text: string): EventObject {
  const event: GraphEvent = { type: 'message.received', text };
  return event;
}

/** Formats a state as in a trace: with the name of its reference as a prefix, if it has one. */
function shown(address: readonly string[]): string {
  const call = address.at(-2);
  const name = address.at(-1) ?? '';
  return call === undefined ? name : `${call.slice(0, call.indexOf('.'))}.${name}`;
}
