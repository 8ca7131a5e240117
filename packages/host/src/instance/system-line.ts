import type { EventObject } from '@dramaturg/compiler';

/** The line of the transcript for a change of state: from, to, and the reason if the lifecycle has one. */
export function systemLine(
  instance: string,
  index: number,
  { state, from, kind }: EventObject,
  context: Readonly<Record<string, unknown>>,
): { readonly id: string; readonly role: 'system'; readonly text: string } {
  const way = typeof from === 'string' ? `${from} → ${String(state)}` : String(state);
  const reasons = {
    terminal: context['end_reason'] ?? context['failure_reason'],
    suspended: context['intervention_reason'],
  };
  const reason = reasons[kind as keyof typeof reasons];
  return {
    id: `${instance}/system-${index}`,
    role: 'system',
    text: typeof reason === 'string' ? `${way}: ${reason}` : way,
  };
}
