import { isRecord, type Json } from '@dramaturg/compiler';
import { compileTemplate } from '../data/template.ts';
import { toText } from '../data/to-text.ts';
import type { Approval, Dialect } from '../definition/index.ts';
import { compileOptionalSource } from './value-source.ts';
import { evaluation } from './jsonpath-flow.ts';
import { fillPlaceholders } from './placeholders.ts';
import type { Run } from './run.ts';

export function compilePrompt(
  state: Approval,
  dialect: Dialect,
): (run: Run, selected: Json) => string {
  const prompt = compileOptionalSource(state.Prompt, dialect, 'Prompt');
  if (!prompt || !state.Prompt) return () => '';
  const structured =
    'value' in state.Prompt && isRecord(state.Prompt.value)
      ? compileTemplate(state.Prompt.value, dialect, 'Prompt')
      : undefined;
  return (run, selected) => {
    const value = structured ? structured(evaluation(run, selected)) : prompt(run, selected);
    return fillPrompt(promptText(value), run, selected);
  };
}

export function fillPrompt(text: string, run: Run, selected: Json): string {
  return fillPlaceholders(text, run, selected, promptText);
}

/** The text of a structured prompt is its title and its description. */
function promptText(value: Json): string {
  if (!isRecord(value)) return toText(value);
  const { Title: title, Description: description } = value;
  const parts = [title, description].filter((part) => typeof part === 'string');
  return parts.length > 0 ? parts.join('\n\n') : toText(value);
}
