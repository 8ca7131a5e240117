import type { Effects } from '@dramaturg/compiler/format';
import {
  callKey,
  endedByAgent,
  type HandledEvent,
  hear,
  inbox,
  messageProblem,
  messageSent,
  type OpenQuestion,
  readReply,
  refusedFields,
  refuseWaiting,
  replied,
  startRequested,
  takeSummary as foldedIn,
} from '@dramaturg/conversation';
import { freshSession, type NpcContext, withLine } from '../context.ts';
import type { Outcome } from '../definition.ts';
import type { NpcOutput, UnlockedMachine } from '../events.ts';
import { internal } from '../names.ts';
import { linkHolds } from '../scenario-graph.ts';
import {
  currentScenario,
  type NpcActions,
  type NpcScope,
  type Place,
  scenarioMeta,
  stateMeta,
} from './meta.ts';
import { readVariables } from './start.ts';

/**
 * Owns the turn: `turn`, `message`, `messages`, `inbox`, `opened` and `summary` of the context. A turn is waiting, evaluating,
 * deciding (the region `scene` applies the verdict), responding, summarising, extracting, finishing or failed. Each session
 * resets all of these.
 */

/** Why a message is refused. After the outcome no message is taken; a blank message cannot be judged. */
export function problemOf(context: NpcContext, text: unknown): string | undefined {
  if (context.outcome !== null) return sessionIsOver;
  if (typeof text === 'string' && text.trim() === '') return 'The message is blank.';
  return messageProblem(context, text);
}

/** The question of a state: it is open from the NPC's first line on. */
function openQuestion({ context }: Pick<NpcScope, 'context'>): OpenQuestion | undefined {
  return context.opened ? { id: `${context.session}/${context.state}` } : undefined;
}

const hearing = inbox<NpcContext>({
  listen: ({ context }, event: HandledEvent) => ({
    context: { ...hear(context, event, undefined), verdict: null },
  }),
  questionOf: openQuestion,
  problemOf,
});

export const turnGuards = hearing.guards;

export const turnActions = {
  ...hearing.actions,

  /** Sends the line. The lines of a follow-up are kept until it is left. */
  takeReply: ({ context, event }) => {
    const { directive, thread, outcome, state } = context;
    const answer = readReply(event, [], state);
    const { text, ending, requests, silent } = answer;
    const opened = context.opened || !silent;
    return {
      context: {
        ...replied(context, answer, openQuestion({ context: { ...context, opened } })),
        // Once there is an outcome, the scenario ends by its own rules.
        ...(ending && outcome === null ? { endedByAgent: ending } : {}),
        opened,
        thread: directive === 'probe' && !silent ? withLine(thread, { by: 'npc', text }) : thread,
        ...(directive === 'hand_over' && !silent ? { directive: 'redirect' } : {}),
        // The last message is still needed to extract the output variables.
        ...(outcome === null ? {} : { message: context.message }),
      },
      emit: [...messageSent(answer, callKey(inSession(context), 'reply'), state), ...requests],
    };
  },

  /** Only requested variables are kept. */
  takeVariables: (scope) => {
    const { value } = scope.event['output'] as { value: Record<string, unknown> };
    const { machine_key, output_variables } = currentScenario(scope);
    const wanted = output_variables.flatMap(({ key }) =>
      Object.hasOwn(value, key) ? [[key, value[key]]] : [],
    );
    const variables = readVariables(Object.fromEntries(wanted));
    const keys = output_variables.map(({ key }) => key);
    // Unknown fields are ignored next to a known one. An answer with only unknown fields is refused.
    const refused = wanted.length > 0 ? [] : refusedFields(value, keys, scope.context.state);
    return {
      context: { variables: { ...scope.context.variables, ...variables } },
      emit: [...refused, { type: 'variables.extracted', machine: machine_key, variables }],
    };
  },

  takeSummary: (scope) => foldedIn(scope, currentScenario(scope).summarise_after!),
} satisfies NpcActions;

/** The context with the id of the session. Each session of a conversation has its own log, and keys of its own for its calls. */
export function inSession(context: NpcContext): NpcContext {
  const { conversation, session } = context;
  return session <= 1
    ? context
    : { ...context, conversation: `${conversation}/session-${session}` };
}

/** Actions of a session: it begins, moves from state to state, and ends with an outcome that may open other scenarios. */

export const sessionActions = {
  /** Starts a scenario. Everything of an earlier session is reset. */
  startSession: ({ context, meta }, { machine_key: machine }: { machine_key: string }) => {
    const { title } = scenarioMeta(meta, machine)!;
    return {
      context: { ...freshSession, machine, session: context.session + 1 },
      raise: [{ type: internal.opened }],
      emit: [{ type: 'scenario.started', machine, title }],
    };
  },

  enterState: ({ context, meta }, { state }: { state: string }) => {
    const isFirst = context.state === '';
    const { title } = stateMeta(meta, context.machine, state);
    return {
      context: {
        state,
        voice: state,
        redirects: 0,
        probes: 0,
        directive: isFirst ? 'opening' : 'arrived',
      },
      emit: [{ type: 'state.entered', state, title, ...(isFirst ? {} : { from: context.state }) }],
    };
  },

  /** Ends in a terminal state with an outcome: by the score, or as the author says for the state. */
  reachEnd: (
    scope,
    { pass_threshold, outcome }: { pass_threshold?: number; outcome?: Outcome },
  ) => {
    const { score, state } = scope.context;
    return concluded(scope, outcome ?? (score >= pass_threshold! ? 'ACCEPT' : 'REJECT'), state);
  },

  /** The last line is spoken: the scene continues by a link, or is over. */
  complete: (scope) => {
    const { machine, score, state, outcome, variables, conversation, session } = scope.context;
    const { on_end: onEnd } = currentScenario(scope);
    const reached = { outcome, score, state };
    const values = { ...variables, ...reached };
    const unlocked = unlockedMachines(scope);
    return {
      raise: [{ type: internal.completed }],
      emit: [
        { type: 'scenario.completed', machine, ...reached, unlocked },
        ...startRequested(onEnd, `${conversation}/${session}`, outcome ?? '', values),
      ],
    };
  },

  conclude: () => ({ raise: [{ type: internal.over }] }),

  /** Reports that the running session is discarded for another one. */
  discard: ({ context }) => {
    const { machine, state, score } = context;
    return {
      emit: [
        ...refuseWaiting(context, sessionIsOver),
        { type: 'scenario.discarded', machine, state, score },
      ],
    };
  },

  refuseStart: ({ context, event, meta }) => {
    const what = typeof event['machine_key'] === 'string' ? event['machine_key'] : context.machine;
    const because =
      context.outcome !== null
        ? sessionIsOver
        : scenarioMeta(meta, what)
          ? `The scenario "${what}" is locked.`
          : `There is no scenario "${what}".`;
    return { emit: [{ type: 'update.refused', what, because, state: context.state }] };
  },

  announceEnd: ({ context }) => ({
    emit: [
      ...refuseWaiting(context, sessionIsOver),
      { type: 'conversation.ended', ...result({ context }) },
    ],
  }),
} satisfies NpcActions;

/** Sets the outcome, opens the scenarios that links open, and refuses the messages that still wait. */
export function concluded(scope: Place, outcome: Outcome, voice: string): Effects<NpcContext> {
  const { context } = scope;
  const { machine, score, state } = context;
  const after = { ...context, outcome };
  const opened = opensNow({ ...scope, context: after });
  const results = context.results.filter((one) => one.machine !== machine);
  return {
    context: {
      outcome,
      directive: 'close',
      voice,
      inbox: [],
      unlocked: [...context.unlocked, ...opened],
      justUnlocked: opened,
      results: [...results, { machine, outcome, score, state }],
    },
    emit: refuseWaiting(context, sessionIsOver),
  };
}

const sessionIsOver = 'The session is over.';

/** The scenarios that the links newly open, in order. */
function opensNow({ context, meta }: Place): string[] {
  const { machine_links = [] } = currentScenario({ context, meta });
  const opened = machine_links
    .filter(({ condition }) => linkHolds(condition, context))
    .map(({ target_machine_key }) => target_machine_key)
    .filter((key) => !context.unlocked.includes(key) && scenarioMeta(meta, key)?.open !== true);
  return [...new Set(opened)];
}

export function unlockedMachines({ context, meta }: Place): UnlockedMachine[] {
  const { machine_links = [] } = currentScenario({ context, meta });
  return context.justUnlocked.map((machine_key) => ({
    machine_key,
    name: scenarioMeta(meta, machine_key)!.title,
    is_auto_advance: machine_links.some(
      (link) =>
        link.target_machine_key === machine_key &&
        link.is_auto_advance &&
        linkHolds(link.condition, context),
    ),
  }));
}

/** The score and the results so far, and the variables that were extracted. */
export function collected({ score, results, variables }: NpcContext) {
  return { score, results, variables };
}

/** The result of a conversation: the actor's output, and the last event that it emits. */
export function result({ context }: { readonly context: NpcContext }): NpcOutput {
  const { outcome, endless, endedByAgent: ending, machine, state, unlocked } = context;
  return {
    outcome: outcome ?? (ending ? (endless ? 'completed' : endedByAgent) : 'cancelled'),
    ...ending,
    machine,
    state,
    unlocked,
    ...collected(context),
  };
}
