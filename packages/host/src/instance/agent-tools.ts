import { type EventObject, isRecord } from '@dramaturg/compiler';

/**
 * Tools by which the agent of a conversation speaks to its lifecycle, whatever it holds the conversation by. An answer of
 * the port `reply` may call them; the flow does not see those calls. Spec: docs/host.md#what-an-agent-may-ask-for
 */
const tools: Readonly<Record<string, (given: Fields) => EventObject>> = {
  request_human_intervention: ({ reason }) => ({ type: 'agent.flagged', reason }),
  schedule_next_heartbeat: ({ delay_ms }) => ({ type: 'agent.rescheduled', delay_ms }),
  mark_todo_item: ({ todo_id, status }) => ({ type: 'todo.marked', todo_id, status }),
};

type Fields = Readonly<Record<string, unknown>>;

/** What an answer asks of the lifecycle, as events, and the answer without it. */
export function forLifecycle(output: unknown): { events: EventObject[]; rest: unknown } {
  const calls = isRecord(output) ? output['toolCalls'] : undefined;
  if (!Array.isArray(calls)) return { events: [], rest: output };
  const events: EventObject[] = [];
  const toolCalls = calls.filter((call: unknown) => {
    const { name, arguments: given } = isRecord(call) ? call : {};
    if (typeof name !== 'string' || !Object.hasOwn(tools, name)) return true;
    events.push(tools[name]!(isRecord(given) ? given : {}));
    return false;
  });
  return { events, rest: events.length > 0 ? { ...(output as object), toolCalls } : output };
}
