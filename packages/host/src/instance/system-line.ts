import type { EventObject } from '@dramaturg/compiler';

/** What the transcript says of a change of state: from where to where, and why, where the lifecycle knows a reason. */
export function systemLine(
  instance: string,
  place: number,
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
    id: `${instance}/system-${place}`,
    role: 'system',
    text: typeof reason === 'string' ? `${way}: ${reason}` : way,
  };
}
