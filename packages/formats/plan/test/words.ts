import type { PlanEmitted } from '../src/index.ts';

/** The lines of emitted events in transcripts of plans. */
export function word(event: { readonly type: string }): string | undefined {
  const emitted = event as PlanEmitted;
  switch (emitted.type) {
    case 'state.entered':
      return `state: ${emitted.state}`;
    case 'task.completed':
      return `done: ${emitted.task}`;
    case 'task.skipped':
      return `skipped: ${emitted.task}`;
    case 'task.started':
      return `begun: ${emitted.task}`;
    case 'task.failed':
      return `failed: ${emitted.task}: ${emitted.because}`;
    case 'start.requested':
      return `starts: ${emitted.start} ${JSON.stringify(emitted.input)}`;
    case 'deliverable.collected': {
      const mark = emitted.discovered ? ' (insight)' : emitted.volunteered ? ' (said earlier)' : '';
      return `collected: ${valueOf(emitted)}${mark}`;
    }
    case 'deliverable.volunteered':
      return `volunteered: ${valueOf(emitted)}`;
    case 'deliverable.withdrawn':
      return `withdrawn: ${emitted.deliverable}`;
    case 'update.refused':
      return `refused: ${emitted.because}`;
    case 'summary.written':
      return `summary: ${emitted.text}`;
    case 'help.requested':
      return `help: ${emitted.reason ?? 'wanted'}`;
    case 'turn.failed':
      return `failed: ${emitted.message}`;
    case 'message.sent':
      // The transcript already has the reply as an input. Only an author's farewell has no input.
      return emitted.key.endsWith('/farewell')
        ? `says: ${JSON.stringify(emitted.text)}`
        : undefined;
    case 'message.refused':
      return `refused: ${emitted.because}`;
    case 'conversation.ended':
      return `end: ${emitted.outcome} in ${emitted.state}`;
  }
}

function valueOf({
  deliverable,
  value,
  previous,
  unconfirmed,
}: Extract<PlanEmitted, { readonly deliverable: string; readonly value: unknown }>): string {
  const was = previous === undefined ? '' : ` (was ${JSON.stringify(previous)})`;
  const mark = unconfirmed ? ' (unconfirmed)' : '';
  return `${deliverable} = ${JSON.stringify(value)}${was}${mark}`;
}
