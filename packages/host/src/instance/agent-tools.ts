import { type EventObject, isRecord, type PortInput, type ToolSpec } from '@dramaturg/compiler';
import type { DurableMachine, MachineActor } from '../xstate/machine-actor.ts';
import { textOf } from './read.ts';

/**
 * Tools by which the agent of a conversation speaks to its lifecycle, in every format. They are offered with each call of
 * the port `reply`. Spec: docs/host.md#what-an-agent-may-ask-for
 */
interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: (todos: readonly Todo[]) => ToolSpec['parameters'];
  readonly event: (given: Fields) => EventObject;
  /** It ends the turn: the lifecycle is told when everything the agent says in the turn is out. */
  readonly endsTurn?: true;
  /** The flow sees the call too: a format that knows the tool ends the conversation in its own way. */
  readonly isForFlowToo?: true;
}

type Fields = Readonly<Record<string, unknown>>;
type Todo = Readonly<Record<'id' | 'text' | 'status', string>>;

/** What is kept of a reason, in UTF-16 units. */
const longestReason = 2_000;

/** The agent's reason, or words for one that gave none. */
function reasonIn({ reason }: Fields, otherwise: string): { readonly reason: string } {
  const given = textOf(reason).slice(0, longestReason);
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
        delay_ms: { type: 'integer', minimum: 1, description: 'Milliseconds from now.' },
      },
      required: ['delay_ms'],
    }),
    event: ({ delay_ms }) => ({ type: 'agent.rescheduled', delay_ms }),
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

/** The tools whose events a lifecycle takes. A checklist is there only if the instance was started with one. */
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

/** What an answer asks of the lifecycle, and the answer as the flow sees it. */
export interface Wanted {
  /** To tell the lifecycle at once. */
  readonly events: readonly EventObject[];
  /** To tell it at the end of the turn. */
  readonly endings: readonly EventObject[];
  readonly rest: unknown;
}

/** The tools of an agent as they are offered and accepted. A tool of the flow with the same name is the flow's. */
export class AgentTools {
  readonly #tools: readonly AgentTool[];
  readonly #todos: readonly Todo[];

  constructor(tools: readonly AgentTool[], todos: readonly Todo[]) {
    this.#tools = tools;
    this.#todos = todos;
  }

  /** What a call asks, with these tools on offer. */
  offeredIn<Input extends Pick<PortInput<'reply'>, 'tools'>>(input: Input): Input {
    const offered = this.#besides(input).map(({ name, description, parameters }) => ({
      name,
      description,
      parameters: parameters(this.#todos),
    }));
    return { ...input, tools: [...input.tools, ...offered] };
  }

  /** @param input what was asked, without these tools */
  wantedIn(output: unknown, input: Pick<PortInput<'reply'>, 'tools'>): Wanted {
    const calls = isRecord(output) ? output['toolCalls'] : undefined;
    if (!Array.isArray(calls)) return { events: [], endings: [], rest: output };
    const known = new Map(this.#besides(input).map((tool) => [tool.name, tool]));
    const events: EventObject[] = [];
    const endings: EventObject[] = [];
    const toolCalls = calls.filter((call: unknown) => {
      const { name, arguments: given } = isRecord(call) ? call : {};
      const tool = known.get(textOf(name));
      if (!tool) return true;
      (tool.endsTurn ? endings : events).push(tool.event(isRecord(given) ? given : {}));
      return tool.isForFlowToo === true;
    });
    return { events, endings, rest: { ...(output as object), toolCalls } };
  }

  #besides({ tools }: Pick<PortInput<'reply'>, 'tools'>): readonly AgentTool[] {
    const own = new Set(tools.map(({ name }) => name));
    return this.#tools.filter(({ name }) => !own.has(name));
  }
}
