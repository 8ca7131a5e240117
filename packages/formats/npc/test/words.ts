import type { NpcEmitted } from '../src/index.ts';

/** The lines of emitted events in transcripts of scenarios. */
export function word(event: { readonly type: string }): string | undefined {
  const emitted = event as NpcEmitted;
  switch (emitted.type) {
    case 'scenario.started':
      return `scenario: ${emitted.machine}`;
    case 'scenario.discarded':
      return `discarded: ${emitted.machine} in ${emitted.state}`;
    case 'scenario.completed': {
      const { machine, outcome, unlocked } = emitted;
      const opened = unlocked.map(({ machine_key }) => machine_key).join(', ');
      return `completed: ${machine}, ${outcome}${opened ? `, unlocks ${opened}` : ''}`;
    }
    case 'state.entered':
      return `state: ${emitted.state}`;
    case 'start.requested':
      return `starts: ${emitted.start} ${JSON.stringify(emitted.input)}`;
    case 'score.changed':
      return `score: ${emitted.to}`;
    case 'followup.entered':
      return `follow-up in ${emitted.state}`;
    case 'followup.left':
      return 'follow-up is left';
    case 'verdict.reached': {
      const { decision, given, redirect_count, outcome, evaluation_error } = emitted;
      const parts = [
        `${decision ?? 'follow_up'}${given ? ` (for ${given})` : ''}`,
        decision === 'redirect' && redirect_count !== null ? `redirects ${redirect_count}` : '',
        evaluation_error ? 'evaluation error' : '',
        outcome ?? '',
      ];
      return `verdict: ${parts.filter(Boolean).join(', ')}`;
    }
    case 'update.refused':
    case 'message.refused':
      return `refused: ${emitted.because}`;
    case 'variables.extracted':
      return `variables: ${JSON.stringify(emitted.variables)}`;
    case 'summary.written':
      return `summary: ${emitted.text}`;
    case 'help.requested':
      return `help: ${emitted.reason ?? 'wanted'}`;
    case 'turn.failed':
      return `failed: ${emitted.message}`;
    case 'message.sent':
      // The transcript already has the line as an input.
      return undefined;
    case 'conversation.ended':
      return `end: ${emitted.outcome} in ${emitted.state}, score ${emitted.score}`;
  }
}
