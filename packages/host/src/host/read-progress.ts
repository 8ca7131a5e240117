import type { Behaviours } from '../definitions/behaviours.ts';
import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { type NodeMeta, waitingTag } from '@dramaturg/compiler/chart';
import type { Behaviour, RunFailure, StateVisit } from '@dramaturg/compiler/machine';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { callLetter } from '../instance/letter.ts';
import { decisionId } from '../instance/open-decisions.ts';
import { isOwnEvent } from '../instance/own-events.ts';
import { optionalText } from '../instance/read.ts';
import type { InstanceState } from '../instance/state.ts';
import { contextIn, outputIn } from '../xstate/persisted-snapshot.ts';
import { type CallAtRest, type StateAtRest, statesAtRest } from '../xstate/resting-states.ts';
import { pathToNode, type StatePath } from '../xstate/state-paths.ts';
import type { ReadDefinition } from './definition-reader.ts';
import type { InstanceFailure, InstanceStanding, StatePosition, Wait } from './standing.ts';

/** The definitions of an instance. A definition that the store has lost is undefined. */
export interface DefinitionsOfInstance {
  readonly lifecycle: ReadDefinition | undefined;
  /** Null when the instance is a lifecycle only. */
  readonly flow: ReadDefinition | undefined | null;
}

type Source = Wait['source'];

/**
 * Reads the progress of an instance. Nothing runs: all facts come from the stored snapshot, the charts and the formats.
 *
 * @param behaviours by format; without the behaviour of a format, times, tokens and the places of failures are unknown
 */
export function readProgress(
  state: InstanceState,
  hasEnded: boolean,
  definitions: DefinitionsOfInstance,
  behaviours: Behaviours,
): InstanceStanding {
  return new StandingOfInstance(state, definitions, behaviours).read(hasEnded);
}

class StandingOfInstance {
  readonly #state: InstanceState;
  readonly #definitions: DefinitionsOfInstance;
  readonly #behaviours: Behaviours;

  constructor(state: InstanceState, definitions: DefinitionsOfInstance, behaviours: Behaviours) {
    this.#state = state;
    this.#definitions = definitions;
    this.#behaviours = behaviours;
  }

  read(hasEnded: boolean): InstanceStanding {
    const { input } = this.#state;
    const resting = (source: Source) => (hasEnded ? [] : this.#atRest(source));
    const [flow, lifecycle] = [resting('flow'), resting('lifecycle')];
    const states = (this.#main === 'flow' ? flow : lifecycle)
      .filter(({ path }) => path.length > 0)
      .map((state) => this.#position(this.#main, state));
    const output = this.#output();
    const collected = this.#collected();
    const failure = this.#failure(states);
    const whole = flow.find(({ path }) => path.length === 0);
    const { timeoutAt } = whole ? this.#visit('flow', whole) : {};
    return {
      input: this.#standing(this.#main).input?.(input, this.#root) ?? input,
      ...(collected && { collected }),
      ...(output === undefined ? {} : { output }),
      ...(failure ? { failure } : {}),
      ...(timeoutAt === undefined ? {} : { timeoutAt }),
      states,
      waits: [...this.#waitsOfFlow(flow), ...this.#waitsOfLifecycle(lifecycle, flow, hasEnded)],
    };
  }

  get #main(): Source {
    return this.#definitions.flow === null ? 'lifecycle' : 'flow';
  }

  #snapshot(source: Source): Json | undefined {
    return source === 'flow' ? this.#state.flow : this.#state.lifecycle.snapshot;
  }

  #standing(source: Source): NonNullable<Behaviour['standing']> {
    const { format } = this.#definitions[source]?.chart ?? {};
    return (format !== undefined && this.#behaviours.get(format)?.standing) || {};
  }

  /** The meta of the chart. */
  get #root(): NodeMeta {
    return this.#definitions[this.#main]?.chart.meta ?? {};
  }

  #output(): Json | undefined {
    const output = outputIn(this.#snapshot(this.#main));
    const { output: outputOf } = this.#standing(this.#main);
    return output === undefined || !outputOf ? output : outputOf(output, this.#root);
  }

  #collected(): JsonObject | undefined {
    const context = contextIn(this.#snapshot(this.#main));
    return isRecord(context) ? this.#standing(this.#main).collected?.(context) : undefined;
  }

  #atRest(source: Source): StateAtRest[] {
    const definition = this.#definitions[source];
    return definition ? statesAtRest(definition.chart, this.#snapshot(source)) : [];
  }

  #position(source: Source, { path, origin }: StatePath): StatePosition {
    const position = origin && this.#definitions[source]?.locate(origin);
    return { path, ...(position && { position }) };
  }

  /** The failure: a workflow stores its own, the host stores that of a turn, and a lifecycle has reasons. */
  #failure(states: readonly StatePosition[]): InstanceFailure | undefined {
    const { failure, flow } = this.#state;
    const output = outputIn(flow);
    const { status } = isRecord(output) ? output : {};
    const ended =
      typeof status === 'string' && status !== 'succeeded'
        ? (this.#failureOf('flow') ?? (output as unknown as RunFailure))
        : undefined;
    if (ended) return failureFrom(ended, this.#failedState(ended));
    const [only, ...others] = states;
    if (failure) return failureFrom(failure, others.length === 0 ? only : undefined);
    const ofLifecycle = this.#failureOf('lifecycle');
    return ofLifecycle && failureFrom(ofLifecycle, undefined);
  }

  #failureOf(source: Source): RunFailure | undefined {
    const chart = this.#definitions[source]?.chart;
    const context = contextIn(this.#snapshot(source));
    return chart && isRecord(context)
      ? this.#standing(source).failure?.(context, chart.id)
      : undefined;
  }

  #failedState({ at }: RunFailure): StatePosition | undefined {
    const definition = this.#definitions.flow;
    const found = at && definition ? pathToNode(definition.chart, at) : undefined;
    return found && this.#position('flow', found);
  }

  /** The waits of a flow. Between turns, its calls and timers are not open, but its tokens are. */
  #waitsOfFlow(states: readonly StateAtRest[]): Wait[] {
    const waits = states.flatMap((state) => this.#waits('flow', state));
    return this.#state.turn === null ? waits.filter((wait) => wait.for === 'token') : waits;
  }

  /** A lifecycle waits for its timers, and between turns for messages and other events. */
  #waitsOfLifecycle(
    states: readonly StateAtRest[],
    flow: readonly StateAtRest[],
    hasEnded: boolean,
  ): Wait[] {
    const timers = states.flatMap((state) => this.#waits('lifecycle', state));
    const [state] = states;
    if (hasEnded || !state || (this.#main === 'flow' && this.#state.turn !== null)) return timers;
    const { accepts = [] } = this.#visit('lifecycle', state);
    const events =
      this.#main === 'flow' ? accepts.filter((type) => !isOwnEvent(type)) : [...accepts];
    const rest = { source: 'lifecycle', ...this.#position('lifecycle', state) } as const;
    const isForMessage =
      flow.some(({ tags }) => tags.includes(waitingTag)) && events.includes('message.received');
    return [
      ...(isForMessage ? [{ for: 'message', ...rest } as const] : []),
      ...timers,
      ...(events.length > 0 ? [{ for: 'event', events, ...rest } as const] : []),
    ];
  }

  #visit(source: Source, { context, nodes, meta, calls }: StateAtRest): StateVisit {
    const timers = calls.filter(isTimer).map(({ id, input }) => ({ id, at: dueAt(input) }));
    if (!isRecord(context)) return {};
    return this.#standing(source).visit?.(context, { nodes, meta, timers }) ?? {};
  }

  #waits(source: Source, state: StateAtRest): Wait[] {
    const visit = this.#visit(source, state);
    const { since, timeoutAt, heartbeatAt, token, retry } = visit;
    const common = {
      source,
      ...this.#position(source, state),
      ...(since === undefined ? {} : { since }),
      ...(timeoutAt === undefined ? {} : { timeoutAt }),
      ...(heartbeatAt === undefined ? {} : { heartbeatAt }),
    };
    const calls = state.calls.filter((call) => !isTimer(call));
    const timers = state.calls.filter(isTimer);
    const [timer] = timers;
    if (retry && timer) {
      const { error, cause } = failureFrom(retry);
      const { attempt } = retry;
      return [{ for: 'retry', ...common, at: dueAt(timer.input), attempt, error, cause }];
    }
    const waits: Wait[] = [
      ...calls.map((call): Wait => {
        const again = this.#repeated(source, call);
        return { ...common, ...(again ?? this.#call(source, call, visit)) };
      }),
      ...(token === undefined ? [] : [{ for: 'token', ...common, token } as const]),
      ...(state.items ? [{ for: 'items', ...common, ...state.items } as const] : []),
    ];
    if (waits.length > 0) return waits;
    // A timer next to other work is a limit of that work.
    return timers
      .filter(({ input }) => dueAt(input) !== timeoutAt)
      .map(({ input }) => ({
        for: 'timer',
        ...common,
        key: optionalText(input['key']),
        at: dueAt(input),
      }));
  }

  /** A failed call that waits for its next attempt. */
  #repeated(source: Source, { input }: CallAtRest) {
    const { repeated = {} } = this.#state;
    const {
      at = null,
      attempt = 0,
      error = null,
      cause = null,
    } = repeated[callLetter(source, optionalText(input['key']))] ?? {};
    return at === null
      ? undefined
      : ({ for: 'retry', at, attempt: attempt + 1, error, cause } as const);
  }

  #call(source: Source, { port, input }: CallAtRest, { heartbeatToken }: StateVisit) {
    const key = optionalText(input['key']);
    if (port === 'requestDecision') {
      const prompt = optionalText(input['prompt']);
      return { for: 'decision', id: decisionId({ key, id: input['id'] }), prompt } as const;
    }
    const name = optionalText(input['agent'] ?? input['tool']);
    const children = this.#state.children ?? {};
    const letter = callLetter(source, key);
    return {
      for: 'call',
      key,
      port,
      ...(name === '' ? {} : { name }),
      ...(heartbeatToken === undefined ? {} : { heartbeatToken }),
      ...(Object.hasOwn(children, letter) ? { instance: children[letter]!.id } : {}),
    } as const;
  }
}

function isTimer({ port }: CallAtRest): boolean {
  return port === 'timer';
}

function dueAt(input: JsonObject): number {
  return Number(input['at']);
}

function failureFrom(
  { error, cause }: Pick<RunFailure, 'error' | 'cause'>,
  state?: StatePosition,
): InstanceFailure {
  const shown = cause === null ? null : withoutSecrets(cause);
  return { error, cause: shown, ...(state && { state }) };
}
