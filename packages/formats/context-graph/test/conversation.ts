import {
  compile,
  type Json,
  type JsonObject,
  type PortInput,
  providePorts,
} from '@dramaturg/compiler';
import { type AnyActor, createActor, type EventObject, waitFor } from 'xstate';
import {
  contextGraph,
  type GraphContext,
  type GraphEmitted,
  type GraphInput,
} from '../src/index.ts';

/** An answer of the model or of the outside world, by what was asked: `['select', 'E1']`, `['reflect', 'hm']`. */
export type Answer = readonly [what: string, answer: Json];

/** The result of a turn, in the notation of the specification. */
export interface Turn {
  readonly trace: string;
  readonly transitions: readonly Json[];
  /** Action states for which active memory was retrieved. */
  readonly retrieved: readonly string[];
  /** The queries of each recall that the turn passed. */
  readonly performed: readonly (readonly string[])[];
  readonly effects: readonly Json[];
  readonly refusals: readonly string[];
  /** Answers that no call asked for. */
  readonly unasked: readonly Answer[];
  readonly failed?: string;
}

/**
 * A conversation in the notation of the specification: a message, then the answers of the model in the order in
 * which they are requested. Other ports answer at once; `say` returns when the actor waits again.
 */
export class Conversation {
  readonly #actor: AnyActor;
  readonly #prompts: { what: string; input: JsonObject }[] = [];
  #events: GraphEmitted[] = [];
  #answers: Answer[] = [];
  /** Everything that was emitted. */
  readonly emitted: GraphEmitted[] = [];
  #retrieved: string[] = [];
  #effects: Json[] = [];
  #jumpbacks: readonly string[] = [];
  #tool: (input: PortInput<'callTool'>) => Json = () => 'done';

  private constructor(definition: JsonObject, options: JsonObject, start: GraphInput) {
    const { machine, diagnostics } = compile(JSON.stringify(definition), {
      formats: [contextGraph],
      format: 'context-graph',
      options,
    });
    if (!machine)
      throw new Error(diagnostics.map(({ code, message }) => `${code}: ${message}`).join('\n'));
    const noted = (input: { key: string }) => {
      const what = input.key.split('/').at(-2)!;
      this.#prompts.push({ what, input: input });
      return what;
    };
    const provided = providePorts(machine, {
      recall: (input) => {
        if (noted(input) === 'remember') this.#retrieved.push(stateIn(input.key));
        return { memories: input.queries.map((query) => ({ text: `about ${query}` })) };
      },
      choose: (input) => {
        const answer = this.#next(noted(input));
        return typeof answer === 'string' ? { option: answer } : (answer as never);
      },
      think: (input) => {
        const answer = this.#next(noted(input));
        return typeof answer === 'string' ? { text: answer } : (answer as never);
      },
      extract: (input) => {
        const what = noted(input);
        const answer = this.#next(what);
        return { value: (what === 'queries' ? { queries: answer } : answer) as JsonObject };
      },
      callTool: (input) => {
        noted(input);
        this.#effects.push(['tool', input.arguments]);
        return { result: this.#tool(input) };
      },
      reply: (input) => {
        noted(input);
        const [answer] = this.#answers;
        return answer?.[0] === 'engage' ? (this.#next('engage') as never) : { text: 'So.' };
      },
    });
    this.#actor = createActor(provided, { input: start });
    this.#actor.on('*', (event) => {
      this.#events.push(event as GraphEmitted);
      this.emitted.push(event as GraphEmitted);
    });
  }

  /** A conversation that the person opens. */
  static start(
    definition: JsonObject,
    options: JsonObject = {},
    input: GraphInput = {},
  ): Conversation {
    const conversation = new Conversation(definition, options, { opening: 'person', ...input });
    const { status, error } = conversation.#actor.getSnapshot();
    if (status === 'error') throw error as Error;
    conversation.#actor.start();
    return conversation;
  }

  /** The agent speaks first. */
  static async open(definition: JsonObject, ...answers: Answer[]): Promise<[Conversation, Turn]> {
    const conversation = new Conversation(definition, {}, {});
    conversation.#answers = answers;
    conversation.#actor.start();
    return [conversation, await conversation.#turn()];
  }

  async say(text: string, ...answers: Answer[]): Promise<Turn> {
    this.#answers = answers;
    this.#actor.send({ type: 'message.received', text } as EventObject);
    return this.#turn();
  }

  /** Sets how tools answer from now on. */
  tool(answer: (input: PortInput<'callTool'>) => Json): void {
    this.#tool = answer;
  }

  get context(): GraphContext {
    return this.#actor.getSnapshot().context as GraphContext;
  }

  /** The states to jump back to, the outermost first. */
  get jumpbacks(): readonly string[] {
    return this.#jumpbacks;
  }

  get isOver(): boolean {
    return this.#actor.getSnapshot().status === 'done';
  }

  /** The last request with a name, such as `decide`. */
  asked(what: string): JsonObject {
    return this.#prompts.findLast((prompt) => prompt.what === what)!.input;
  }

  /** The keys of all calls. */
  get keys(): string[] {
    return this.#prompts.map(({ input }) => input['key'] as string);
  }

  /** Counts the requests with a name. */
  count(what: string): number {
    return this.#prompts.filter((prompt) => prompt.what === what).length;
  }

  #next(what: string): Json {
    const [answer, ...rest] = this.#answers;
    if (answer?.[0] !== what) throw new Error(`Asked to ${what}, and nothing is said to that.`);
    this.#answers = rest;
    if (answer[1] === 'THROW') throw new Error('model error');
    return answer[1];
  }

  async #turn(): Promise<Turn> {
    await waitFor(this.#actor, ({ status, tags }) => status !== 'active' || tags.has('waiting'));
    const events = this.#events;
    const [retrieved, effects, unasked] = [this.#retrieved, this.#effects, this.#answers];
    this.#events = [];
    this.#retrieved = [];
    this.#effects = [];
    this.#answers = [];
    const completed = events.find((event) => event.type === 'traversal.completed');
    const failed = events.find((event) => event.type === 'turn.failed');
    this.#jumpbacks = completed?.jumpbacks ?? this.#jumpbacks;
    const transitions = completed?.transitions ?? [];
    return {
      trace: completed?.trace ?? '',
      transitions: transitions as readonly Json[],
      retrieved,
      performed: transitions.flatMap(({ queries }) => (queries ? [queries] : [])),
      effects: [
        ...effects,
        ...events.flatMap((event) =>
          event.type === 'effect.triggered' ? [['effect', event.event_name]] : [],
        ),
      ],
      refusals: events.flatMap((event) =>
        event.type === 'answer.refused' ? [`${event.answer} at ${event.state}`] : [],
      ),
      unasked,
      ...(failed ? { failed: failed.message } : {}),
    };
  }
}

/** The state in a key, without the calls that lead to it. */
function stateIn(key: string): string {
  const [, , ...rest] = key.split('/');
  const address = rest.slice(0, -2);
  const call = address.at(-2);
  return call === undefined ? address.at(-1)! : `${call.split('.')[0]}.${address.at(-1)!}`;
}
