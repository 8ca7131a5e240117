import type { GraphEmitted } from '../src/index.ts';

/** The lines of emitted events in transcripts of context graphs. */
export function word(event: { readonly type: string }): string | undefined {
  const emitted = event as GraphEmitted;
  switch (emitted.type) {
    case 'start.requested':
      return `starts: ${emitted.start} ${JSON.stringify(emitted.input)}`;
    case 'state.entered':
      return `state: ${emitted.state}`;
    case 'answer.refused':
      return `no option in ${emitted.state}: ${JSON.stringify(emitted.answer)}`;
    case 'tool.called': {
      const outcome = emitted.error ?? JSON.stringify(emitted.result);
      return `tool: ${emitted.tool}, ${outcome}${emitted.kept ? ', kept' : ''}`;
    }
    case 'memory.recalled':
      return `recalled: ${emitted.memories.join('; ')}`;
    case 'thought.added':
      return `thought: ${emitted.text}`;
    case 'effect.triggered':
      return `effect: ${emitted.event_name}`;
    case 'traversal.completed':
      return `trace: ${emitted.trace}`;
    case 'turn.failed':
      return `failed: ${emitted.message} (back in ${emitted.state})`;
    case 'summary.written':
      return `summary: ${emitted.text}`;
    case 'help.requested':
      return `help: ${emitted.reason ?? 'wanted'}`;
    case 'update.refused':
    case 'message.refused':
      return `refused: ${emitted.because}`;
    case 'message.sent':
      // The transcript already has the message as an input.
      return undefined;
    case 'conversation.ended':
      return `end: ${emitted.outcome} in ${emitted.state}`;
  }
}
