import type { LifecycleEmitted } from '../src/index.ts';

/** Emitted events in the words of a lifecycle, as transcripts spell them. Times are left out: clocks differ. */
export function word(event: { readonly type: string }): string {
  const emitted = event as LifecycleEmitted;
  switch (emitted.type) {
    case 'state.entered':
      return `state: ${emitted.state}`;
    case 'message.recorded':
      return `recorded: ${emitted.role} ${said(emitted)}`;
    case 'message.send.requested':
      return `to be sent: ${emitted.role} ${said(emitted)}`;
    case 'agent.wanted':
      return `agent wanted${given(emitted.messages)}`;
    case 'turn.started':
      return `turn: ${emitted.kind}${given(emitted.messages)}`;
    case 'inbox.cleared':
      return `${emitted.messages} waiting messages are cleared`;
    case 'turn.aborted':
      return 'turn is given up';
    case 'timer.scheduled':
      return `timer: ${emitted.event}`;
    case 'timer.failed':
      return `timer failed: ${emitted.message}`;
    case 'todo.marked':
      return `todo: ${emitted.todo_id} is ${emitted.status}`;
    case 'event.refused':
      return `refused: ${emitted.because}`;
    case 'instance.ended': {
      const { state, end_reason, failure_reason, cancel_reason } = emitted;
      const reasons = [end_reason, failure_reason, cancel_reason].filter((one) => one !== null);
      return ['end:', state, ...reasons.map((reason) => JSON.stringify(reason))].join(' ');
    }
    default:
      return `tells: ${event.type}`;
  }
}

function said({ id, text }: { readonly id: string; readonly text?: string }): string {
  return text === undefined ? id : JSON.stringify(text);
}

function given(messages: number): string {
  if (messages === 0) return '';
  return messages === 1 ? ', given a message' : `, given ${messages} messages`;
}
