/* oxlint-disable typescript/no-explicit-any -- Each format has a context, events and params of its own. */
import type { Chart, NodeMeta } from '../chart/chart.ts';
import { DramaturgError } from '../error.ts';
import type { Json, JsonObject } from '../json.ts';
import type { AgentEnding } from '../ports/usage.ts';
import type { NextReply, PortInput, PortName } from '../ports/contract.ts';
import type { EachInput } from './each-contract.ts';
import type { Standing } from './standing.ts';
import type { World } from './world.ts';

/**
 * The code for the names in a format's charts. All functions are pure: they decide, and XState carries the decisions out. So a
 * test can call a guard, an action or an input maker without an actor.
 */
export interface Behaviour {
  /** Make the first context of an actor from its input. May throw an `InputError` when the input is incomplete. */
  readonly contexts: Readonly<Record<string, ContextMaker>>;
  readonly guards: Readonly<Record<string, Guard>>;
  readonly actions: Readonly<Record<string, Action>>;
  /** Make the inputs of calls. */
  readonly inputs: Readonly<Record<string, InputMaker>>;
  /**
   * Predict the reply that follows an extraction or a choice, by the name of the call's input. The input gets the result as
   * `reply`. Not called for ports that do not want it.
   */
  readonly nextReplies?: Readonly<Record<string, NextReplyMaker>>;
  /** Make the output of an actor that is done. */
  readonly outputs: Readonly<Record<string, OutputMaker>>;
  /** Reads and replaces the identity of a run. Runs can be copied only when it is present. */
  readonly identity?: Identity;
  /**
   * Translates input and output when another definition calls this one as an agent. Absent: the input of the call is the
   * input of the actor, and the output of the actor is the result.
   */
  readonly agent?: AgentRole;
  /** Adapts a stored run to another version of its definition. */
  readonly migration?: ContextMigration;
  /** Describes a stored run for people. Machines never call it. */
  readonly standing?: Standing;
  /** Explain the result of a guard in the author's words, by the name of the guard. Machines never call them. */
  readonly reasons?: Readonly<Record<string, ReasonMaker>>;
}

/** Why a guard has its result, for people. */
export interface GuardReason {
  /** Without a full stop: `disputed_amount is missing`. */
  readonly text: string;
  /** The values that decided, by the author's names. Null for a value that is missing. */
  readonly values?: Readonly<Record<string, Json>>;
}

/** @returns undefined when the result means nothing to an author */
export type ReasonMaker<Context = any, Event = any, Params = any> = (
  scope: Scope<Context, Event>,
  params: Params,
  result: boolean,
) => GuardReason | undefined;

/** How another version of a definition reads the context of a stored run. */
export interface ContextMigration<Context = any> {
  /** The context with states and data renamed, by their old names; null drops data. Names come from people (H8). */
  readonly renamed: (
    context: Context,
    names: {
      readonly states: Readonly<Record<string, string>>;
      readonly data: Readonly<Record<string, string | null>>;
    },
  ) => Context;
  /** The context as the new version reads it. */
  readonly fitted: (
    context: Context,
    versions: { readonly from: Chart; readonly to: Chart },
  ) => FittedContext<Context>;
  /** The events with which a flow reports that its data differ now. Absent: a migration reports no data. */
  readonly reported?: (before: Context, after: Context) => readonly EventObject[];
  /**
   * What the calls in a state depend on, from its `meta`. Absent: calls depend on the parameters of their input alone, and
   * not on `meta`.
   */
  readonly asks?: (meta: NodeMeta) => Json;
}

/** A context for another version of its definition, and sentences about it for people. */
export interface FittedContext<Context = any> {
  readonly context: Context;
  /** Sentences about lost data. */
  readonly losses?: readonly string[];
  /** Sentences about data that is kept but now has another meaning. */
  readonly notes?: readonly string[];
  /** Why the new version cannot continue with it. */
  readonly blocks?: readonly string[];
}

/** How a definition runs as an agent of another. */
export interface AgentRole {
  /**
   * Makes the input of the agent's actor.
   *
   * @param input the input of the call
   * @param caller the input that the calling actor started with
   */
  readonly input: (input: Json, caller: JsonObject) => JsonObject;
  /** Makes the answer to the call from the actor's output. Usage is not part of it: the host counts it. */
  readonly ending: (output: Json) => AgentEnding;
}

/** The identity of a run, in the contexts of its actors and in the inputs of items that are not started yet. */
export interface Identity<Context = any> {
  /** The id of the run: the prefix of its calls' idempotency keys. */
  readonly of: (context: Context) => string;
  /** The same value with the id of another run. */
  readonly renamed: (value: Context, id: string) => Context;
}

/** The data that guards, actions and inputs are evaluated against. */
export interface Scope<Context = any, Event = any> {
  readonly context: Context;
  readonly event: Event;
  /** The `meta` of every node with an id, by id. Holds the texts of prompts. */
  readonly meta: ReadonlyMap<string, NodeMeta>;
  /** Time and chance, the only inputs that are not data. */
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

export type NextReplyMaker<Context = any, Event = any> = (
  scope: Scope<Context, Event>,
) => NextReply | undefined;

export type ContextMaker<Context = any, Params = any> = (
  start: Pick<Scope, 'meta' | 'world'> & { readonly input: unknown },
  params: Params,
) => Context;

export type OutputMaker<Context = any, Params = any> = (
  scope: Omit<Scope<Context>, 'event'>,
  params: Params,
) => Json;

/** The decision of an action. */
export interface Effects<Context = any> {
  /** Replaces these fields of the context. */
  readonly context?: Partial<Context>;
  /** Events for the machine itself, handled in order once it has settled, within the same macrostep. */
  readonly raise?: readonly EventObject[];
  /** Events for listeners of the actor. */
  readonly emit?: readonly EventObject[];
  /** Events for the actors of active calls, by the id of the call. */
  readonly send?: readonly { readonly to: string; readonly event: EventObject }[];
}

export interface EventObject {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * An actor's input is incomplete. Lists all problems.
 *
 * @example
 * ```ts
 * const plan = compile(text, { format: 'plan' });
 * const actor = createActor(providePorts(plan.machine!, understudyPorts()), {
 *   input: { session: 7 } as object,
 * });
 * actor.subscribe({ error: (error) => console.log(error instanceof InputError && error.problems) }); // → [ '"session" must be an object' ]
 * actor.start();
 * ```
 */
export class InputError extends DramaturgError<'input/incomplete'> {
  override readonly name = 'InputError';
  readonly problems: readonly string[];

  constructor(message: string, problems: readonly string[]) {
    super('input/incomplete', message);
    this.problems = problems;
  }
}

/** Joins problems as sentences. Some already end with a full stop. */
export function inSentences(problems: readonly string[]): string {
  return problems.map((problem) => problem.replace(/\.?$/, '.')).join(' ');
}
