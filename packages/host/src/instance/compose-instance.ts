import type { EventObject } from '@dramaturg/compiler';
import { withinPermissions } from '@dramaturg/compiler/machine';
import type { MachineActor } from '../xstate/machine-actor.ts';
import type { OpenCall } from '../xstate/open-call.ts';
import { type AgentTools, toolsFor } from './agent-tools.ts';
import { turnEnded } from './call-events.ts';
import type { Source, TranscriptLine } from './event.ts';
import { InstanceCalls } from './instance-calls.ts';
import { InstanceMessages } from './instance-messages.ts';
import { OperatorActs } from './operator-acts.ts';
import { policiesOf } from './child-start.ts';
import { FlowRun } from './flow-run.ts';
import { RepeatedCalls } from './repeated-calls.ts';
import { suspensionsOf } from './suspensions.ts';
import type { InstanceState } from './state.ts';
import type { StepEngineOptions } from './step-engine.ts';
import type { LoadedDefinitions, Surroundings } from './surroundings.ts';
import { Words } from './words.ts';
import { type StoredFields, WorkingState } from './working-state.ts';

/** Builds the parts of an active instance, and wires them. */
export function composeInstance(
  stored: StoredFields,
  state: InstanceState,
  definitions: LoadedDefinitions,
  surroundings: Surroundings,
  createLifecycle: (onEvent: (event: EventObject) => void) => MachineActor,
): StepEngineOptions {
  const { readTranscript } = surroundings;
  const working = new WorkingState(
    stored,
    state,
    (range) => readTranscript(stored.id, range) as Promise<readonly TranscriptLine[]>,
  );
  return composeParts(working, definitions, surroundings, createLifecycle);
}

/** Builds the parts around the state that is outside of the machines. The flow is restored from the state. */
export function composeParts(
  working: WorkingState,
  definitions: LoadedDefinitions,
  surroundings: Surroundings,
  createLifecycle: (onEvent: (event: EventObject) => void) => MachineActor,
): StepEngineOptions {
  const { id, state } = working;
  const lifecycle = createLifecycle((event) => working.emit('lifecycle', event));
  const { events } = definitions.lifecycle.machine;
  const { chart } = definitions.lifecycle;
  const messages = new InstanceMessages(
    working,
    surroundings.hasChannel,
    policiesOf({ lifecycle, definitions })['language'],
  );
  const isSuspended = () => suspensionsOf(chart).has(working.status);
  let [toldEnd, toldMove]: (WorkingState['step'] | undefined)[] = [];
  const flowRun =
    definitions.flow &&
    new FlowRun(
      {
        id,
        machine: definitions.flow.machine,
        input: state.input,
        onEvent: (event) => working.emit('flow', event),
        tellLifecycle: (event) => {
          const ended = turnEnded(event);
          if (ended) working.emit('host', ended);
          lifecycle.dispatch(event);
        },
        say: (message, text) => {
          if (!isSuspended()) messages.request({ type: 'message.sent', id: message, text });
        },
        endInstance: (reason, isNow) => {
          if (working.ended || toldEnd === working.step || (isSuspended() && !isNow)) return false;
          toldEnd = working.step;
          // A lifecycle without a transition for it does not refuse it: its instance ends with the next turn.
          lifecycle.dispatch({ type: 'conversation.ended', reason, raised: true });
          messages.withdrawReminders();
          return true;
        },
        wantTurn: () => {
          if (working.ended || isSuspended() || toldMove === working.step) return false;
          toldMove = working.step;
          // A state without a transition for it does not refuse it: the flow continues in its next turn.
          lifecycle.dispatch({ type: 'conversation.moved', raised: true });
          messages.withdrawReminders();
          return true;
        },
        flag: (reason) => {
          if (isSuspended() || !events.has('conversation.flagged')) return false;
          lifecycle.dispatch({
            type: 'conversation.flagged',
            ...(reason && { reason }),
            raised: true,
          });
          return true;
        },
        tools: toolsOf(lifecycle, events),
        supersedes: chart.meta?.['overlap'] === 'supersede',
        mayGiveUp: () => {
          const { input } = working.step;
          return input.type === 'event.taken' && input.event['supersedes'] === true;
        },
        readTranscript: working.transcript.read,
        question: () => working.state.question,
      },
      state,
      state.flow,
    );
  const repeated = new RepeatedCalls(working, chart.meta, surroundings.world.random);
  const calls = new InstanceCalls(
    () => openCalls(lifecycle, flowRun, working),
    surroundings,
    (letter) => repeated.waitsUntil(letter),
  );
  return {
    working,
    lifecycle,
    flowRun,
    calls,
    repeated,
    messages,
    acts: new OperatorActs({ working, lifecycle, definitions }),
    words: new Words({ working, lifecycle, flowRun, messages, definitions }),
    definitions,
    surroundings,
  };
}

/** The tools of the lifecycle's present state. They are the same object while its checklist is unchanged. */
function toolsOf(lifecycle: MachineActor, events: ReadonlySet<string>): () => AgentTools {
  let known: { readonly todos: unknown; readonly tools: AgentTools } | undefined;
  return () => {
    const { context } = lifecycle;
    const { todos } = context;
    if (!known || known.todos !== todos) known = { todos, tools: toolsFor({ events, context }) };
    return known.tools;
  };
}

function* openCalls(
  lifecycle: MachineActor,
  flowRun: FlowRun | undefined,
  { ended, state }: WorkingState,
): Iterable<{ readonly source: Source; readonly call: OpenCall }> {
  if (ended) return;
  const tools = state.parent?.tools;
  const permitted = (call: OpenCall) =>
    tools ? { ...call, input: withinPermissions(call.port, call.input, tools) } : call;
  for (const call of lifecycle.calls.values()) yield { source: 'lifecycle', call: permitted(call) };
  for (const { source, call } of flowRun?.calls() ?? []) yield { source, call: permitted(call) };
}
