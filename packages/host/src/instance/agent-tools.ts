import { isRecord, type PortInput, type ToolSpec } from '@dramaturg/compiler';
import type { DurableMachine, MachineActor } from '../xstate/machine-actor.ts';
import type { LifecycleEventObject } from './event.ts';
import { optionalText } from './read.ts';

/**
 * A tool that lets the agent of a conversation act on its lifecycle, in every format. It is offered with each call of the
 * port `reply`. Spec: docs/host.md#what-an-agent-may-ask-for
 */
interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: (todos: readonly Todo[]) => ToolSpec['parameters'];
  readonly event: (given: Fields) => LifecycleEventObject;
  /** The call ends the turn. The lifecycle gets the event after everything that the agent says in the turn. */
  readonly endsTurn?: true;
  /** The flow gets the call too: some formats end the conversation in their own way. */
  readonly isForFlowToo?: true;
}

type Fields = Readonly<Record<string, unknown>>;
type Todo = Readonly<Record<'id' | 'text' | 'status', string>>;

/** The longest reason, in UTF-16 units. Longer ones are cut. */
const reasonLengthMax = 2_000;

/** The agent's reason, or a default. */
function reasonIn({ reason }: Fields, otherwise: string): { readonly reason: string } {
  const given = optionalText(reason).slice(0, reasonLengthMax);
  return { reason: given.trim() === '' ? otherwise : given };
}

const withReason = (description: string) => () => ({
  type: 'object',
  properties: { reason: { type: 'string', description } },
  required: ['reason'],
});

const agentTools: readonly AgentTool[] = [
  {
    name: 'end_conversation',
    description:
      'Ends the conversation once your message is sent. Call it when the person wants to stop or nothing is left to say.',
    parameters: withReason('Why the conversation ends.'),
    event: (given) => ({ type: 'agent.ended', ...reasonIn(given, 'ended by the agent') }),
    endsTurn: true,
    isForFlowToo: true,
  },
  {
    name: 'request_human_intervention',
    description:
      'Hands the conversation to a colleague once your message is sent. Call it when you cannot or must not go on alone.',
    parameters: withReason('What the colleague has to know.'),
    event: (given) => ({ type: 'agent.flagged', ...reasonIn(given, 'asked for by the agent') }),
    endsTurn: true,
  },
  {
    name: 'schedule_next_heartbeat',
    description:
      'Sets when the person is reminded if they do not answer. Call it when they ask for more or less time.',
    parameters: () => ({
      type: 'object',
      properties: {
        at: {
          type: 'string',
          description:
            'A local time of the person, such as 2026-10-24T09:00. Leave out delay_ms then.',
        },
        delay_ms: { type: 'integer', minimum: 1, description: 'Milliseconds from now.' },
      },
    }),
    event: ({ delay_ms, at }) => ({
      type: 'agent.rescheduled',
      ...(delay_ms !== undefined && { delay_ms }),
      ...(at !== undefined && { at }),
    }),
  },
  {
    name: 'mark_todo_item',
    description: 'Sets the status of an item of your checklist. Call it when that has changed.',
    parameters: (todos) => ({
      type: 'object',
      properties: {
        todo_id: {
          type: 'string',
          enum: todos.map(({ id }) => id),
          description: todos.map(({ id, text, status }) => `${id}: ${text} (${status})`).join('\n'),
        },
        status: { type: 'string', enum: ['pending', 'in_progress', 'completed', 'skipped'] },
      },
      required: ['todo_id', 'status'],
    }),
    event: ({ todo_id, status }) => ({ type: 'todo.marked', todo_id, status }),
  },
];

/** The names of these tools. */
export const agentToolNames: ReadonlySet<string> = new Set(agentTools.map(({ name }) => name));

/** The tools whose events a lifecycle accepts. The checklist tool needs an instance with a checklist. */
export function toolsFor({
  events,
  context,
}: Pick<DurableMachine, 'events'> & Pick<MachineActor, 'context'>): AgentTools {
  const todos = (context['todos'] ?? []) as readonly Todo[];
  const known = agentTools.filter(
    ({ name, event }) =>
      events.has(event({}).type) && (name !== 'mark_todo_item' || todos.length > 0),
  );
  return new AgentTools(known, todos);
}

/** A reply, split into the agent's events for the lifecycle and the reply for the flow. */
export interface SplitReply {
  /** Events for the lifecycle, immediately. */
  readonly events: readonly LifecycleEventObject[];
  /** Events for the lifecycle, at the end of the turn. */
  readonly endings: readonly LifecycleEventObject[];
  readonly rest: unknown;
}

/** The tools of an agent, in one state of its lifecycle. A tool of the flow takes precedence over one with the same name. */
export class AgentTools {
  readonly #tools: readonly AgentTool[];
  readonly #todos: readonly Todo[];
  /** Inputs with the tools, by the input without them: each step examines open calls several times. */
  readonly #offered = new WeakMap<object, object>();

  constructor(tools: readonly AgentTool[], todos: readonly Todo[]) {
    this.#tools = tools;
    this.#todos = todos;
  }

  /** Adds the tools to the input of a call. */
  offeredIn<Input extends Pick<PortInput<'reply'>, 'tools'>>(input: Input): Input {
    const known = this.#offered.get(input);
    if (known) return known as Input;
    const added = this.#notIn(input).map(({ name, description, parameters }) => ({
      name,
      description,
      parameters: parameters(this.#todos),
    }));
    const offered = { ...input, tools: [...input.tools, ...added] };
    this.#offered.set(input, offered);
    return offered;
  }

  /** @param input of the call, without these tools */
  requestsIn(output: unknown, input: Pick<PortInput<'reply'>, 'tools'>): SplitReply {
    const calls = isRecord(output) ? output['toolCalls'] : undefined;
    if (!Array.isArray(calls)) return { events: [], endings: [], rest: output };
    const known = new Map(this.#notIn(input).map((tool) => [tool.name, tool]));
    const events: LifecycleEventObject[] = [];
    const endings: LifecycleEventObject[] = [];
    const toolCalls = calls.filter((call: unknown) => {
      const { name, arguments: given } = isRecord(call) ? call : {};
      const tool = known.get(optionalText(name));
      if (!tool) return true;
      (tool.endsTurn ? endings : events).push(tool.event(isRecord(given) ? given : {}));
      return tool.isForFlowToo === true;
    });
    return { events, endings, rest: { ...(output as object), toolCalls } };
  }

  #notIn({ tools }: Pick<PortInput<'reply'>, 'tools'>): readonly AgentTool[] {
    const own = new Set(tools.map(({ name }) => name));
    return this.#tools.filter(({ name }) => !own.has(name));
  }
}
