import type { Path } from '@dramaturg/compiler';
import { partOf } from '../authored.ts';
import { isExpression } from '../definition/field.ts';
import type { Workflow } from '../definition/index.ts';
import { statesOf } from '../walk.ts';
import { guardrailRules } from './guardrail-rules.ts';
import { textsOf } from './jsonata-texts.ts';
import { toolsOf } from './tools-blocks.ts';

/** The JSONata, the regular expressions and the JSON Schemas of a workflow, in this order. */
export function* enginePlaces(workflow: Workflow): Generator<Path> {
  for (const state of statesOf(workflow)) {
    const needsEngine = (text: string) =>
      state.QueryLanguage === 'JSONata' ? isExpression(text) : text.includes('=~');
    for (const { text, at } of textsOf(state)) if (needsEngine(text)) yield at;
  }
  for (const { rule } of guardrailRules(workflow))
    for (const field of ['Pattern', 'Schema'])
      if (Object.hasOwn(rule.value, field)) yield [...rule.at, field];
  for (const tools of toolsOf(workflow)) {
    const validation = partOf(tools, 'Validation');
    if (validation) yield validation.at;
  }
}
