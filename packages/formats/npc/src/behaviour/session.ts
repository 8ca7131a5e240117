import type { Effects } from '@dramaturg/compiler/format';
import { endedByAgent, refuseWaiting, startRequested } from '@dramaturg/conversation';
import { freshSession, type NpcContext } from '../context.ts';
import type { Outcome } from '../definition.ts';
import type { NpcOutput, UnlockedMachine } from '../events.ts';
import { internal } from '../names.ts';
import { linkHolds } from '../scenario-graph.ts';
import { currentScenario, type NpcActions, type Place, scenarioMeta, stateMeta } from './meta.ts';

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

export const sessionIsOver = 'The session is over.';

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
