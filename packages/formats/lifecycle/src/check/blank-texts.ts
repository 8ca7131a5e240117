import { blankText } from '../diagnostics/policies.ts';
import type { LifecycleRule } from './rule.ts';

/** Reports blank texts in the policies. */
export const blankTexts: LifecycleRule = ({ definition, report }) => {
  const { after_end, times, fallbacks } = definition.policies;
  for (const cause of ['waiting', 'failed'] as const)
    if (fallbacks?.[cause]?.trim() === '') report(blankText(), ['policies', 'fallbacks', cause]);
  for (const [index, { text }] of (times.reminders ?? []).entries())
    if (text?.trim() === '') report(blankText(), ['policies', 'reminders', index, 'text']);
  if (after_end !== undefined && after_end !== 'start' && after_end.text.trim() === '')
    report(blankText(), ['policies', 'after_end', 'text']);
};
