/* oxlint-disable typescript/no-explicit-any -- Each format has a context, events and params of its own. */
import type { NodeMeta } from '../chart/chart.ts';
import { DramaturgError } from '../error.ts';
import type { Json, JsonObject } from '../json.ts';
import type { AgentEnding } from '../ports/agent-ending.ts';
import type { PortInput, PortName } from '../ports/contract.ts';
import type { EachInput } from './each-contract.ts';
import type { World } from './world.ts';

/**
 * The code behind the names in a format's charts. Everything is a pure function of what it is given: deciding is here,
 * doing is left to XState. So a guard, an action or an input can be called in a test without an actor.
 */
export interface Behaviour {
  /** First context of an actor, from its input. May throw an `InputError` when the input lacks something. */
  readonly contexts: Readonly<Record<string, ContextMaker>>;
  readonly guards: Readonly<Record<string, Guard>>;
  readonly actions: Readonly<Record<string, Action>>;
  /** Inputs of calls. */
  readonly inputs: Readonly<Record<string, InputMaker>>;
  readonly outputs: Readonly<Record<string, OutputMaker>>;
  /**
   * Nothing that happens in one region of a parallel node reads or writes what belongs to another: its fields of the
   * context, the event it handles. Only then may `link` fuse runs of states (see `fuse.ts`).
   */
  readonly independentRegions?: true;
  /** How a run is told from another: what a copy of one has to have changed in it. Only then can runs be copied. */
  readonly identity?: Identity;
  /** How a definition is called as an agent of another; without it the input is the actor's, and the output is the result. */
  readonly agent?: AgentRole;
}

/** A definition as an agent of another. */
export interface AgentRole {
  /**
   * What its actor begins with.
   *
   * @param input of the call
   * @param caller what whoever calls has begun with
   */
  readonly input: (input: Json, caller: JsonObject) => JsonObject;
  /** What the call is answered with; what it has used, whoever runs it has counted. */
  readonly ending: (output: Json) => AgentEnding;
}

/** What names a run in the contexts of its actors, and in the inputs of items that have not been started. */
export interface Identity<Context = any> {
  /** What the keys of its calls begin with. */
  readonly of: (context: Context) => string;
  /** The same as part of another run. */
  readonly renamed: (value: Context, id: string) => Context;
}

/** What a name of the chart is evaluated against. */
export interface Scope<Context = any, Event = any> {
  readonly context: Context;
  readonly event: Event;
  /** The `meta` of every node that has an id, by id: the texts that prompts are composed from. */
  readonly meta: ReadonlyMap<string, NodeMeta>;
  /** Time and chance: all that is not a function of the rest. */
  readonly world: World;
}

export type Guard<Context = any, Event = any, Params = any> = (
  scope: Scope<Context, Event>,
  params: Params,
) => boolean;

export type Action<Context = any, Event = any, Params = any> = (
  scope: Scope<Context, Event>,
  params: Params,
) => Effects<Context>;

export type InputMaker<Context = any, Event = any, Params = any> = (
  scope: Scope<Context, Event>,
  params: Params,
) => PortInput<PortName> | EachInput;

export type ContextMaker<Context = any, Params = any> = (
  start: Pick<Scope, 'meta' | 'world'> & { readonly input: unknown },
  params: Params,
) => Context;

export type OutputMaker<Context = any, Params = any> = (
  scope: Omit<Scope<Context>, 'event'>,
  params: Params,
) => Json;

/** What an action has decided. */
export interface Effects<Context = any> {
  /** Replaces these fields of the context. */
  readonly context?: Partial<Context>;
  /** Events for the machine itself, handled in order once it has settled, within the same macrostep. */
  readonly raise?: readonly EventObject[];
  /** Events for whoever listens to the actor. */
  readonly emit?: readonly EventObject[];
  /** Events for the actors of active calls, by the id of the call. */
  readonly send?: readonly { readonly to: string; readonly event: EventObject }[];
}

export interface EventObject {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** An actor's input lacks what its definition requires. All problems are listed. */
export class InputError extends DramaturgError<'input/incomplete'> {
  override readonly name = 'InputError';
  readonly problems: readonly string[];

  constructor(message: string, problems: readonly string[]) {
    super('input/incomplete', message);
    this.problems = problems;
  }
}

/** Problems as sentences: some of them end with a full stop already. */
export function inSentences(problems: readonly string[]): string {
  return problems.map((problem) => problem.replace(/\.?$/, '.')).join(' ');
}
